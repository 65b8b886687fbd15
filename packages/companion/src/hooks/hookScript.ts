/** Its name, beside `hook.mjs`. */
export const hookScriptName = 'hook.sh';

/**
 * Starts `hook.mjs` beside it: `sh hook.sh NODE call|patch|event AGENT injected|installed PID [MODE [FOLDER...]]`. It never fails,
 * because exit codes are decisions for some agents. If Node.js cannot run the program, it denies a call where each edit is reviewed.
 * NODE may be VS Code, which is Node.js only if a variable says so.
 */
export const hookScript = `#!/bin/sh
node=$1 kind=$2 agent=$3 origin=$4
shift 2
hook=\${0%/*}/hook.mjs
[ -f "$hook" ] || exit 0
[ -x "$node" ] || node=node
if [ "$kind" = patch ]; then
  input=$(cat)
  case $input in *'*** Begin Patch'*) ;; *) kind=event ;; esac
  printf %s "$input" | ELECTRON_RUN_AS_NODE=1 "$node" "$hook" "$@" && exit 0
else
  ELECTRON_RUN_AS_NODE=1 "$node" "$hook" "$@" && exit 0
fi
[ "$kind" != event ] || exit 0
if [ "$TANDEM_HOOK_AGENT" = "$agent" ]; then
  [ "$origin" = injected ] || exit 0
  mode=$TANDEM_HOOK_MODE
else
  [ "$origin" = installed ] && [ $# -ge 4 ] || exit 0
  mode=$4
  shift 4
  if [ $# -gt 0 ]; then
    here=$(pwd -P)
    for folder; do
      case \${here%/}/ in "\${folder%/}"/*) here= ;; esac
    done
    [ -z "$here" ] || exit 0
  fi
fi
case $mode in follow | after | off) exit 0 ;; esac
reason="The change was not written: the user reviews each change in Tandem first, and Node.js could not run its hook. Ask the user to add the hook again, with Tandem's command hook install $agent, or to restart this agent."
case $agent in
  gemini) form='{"decision":"deny","reason":"%s"}' ;;
  copilot) form='{"permissionDecision":"deny","permissionDecisionReason":"%s"}' ;;
  *) form='{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"%s"}}' ;;
esac
printf "$form" "$reason"
exit 0
`;
