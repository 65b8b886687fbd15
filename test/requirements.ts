/**
 * What the agents' documents require of a companion, what their real CLIs need in addition, and what we promise. Each
 * has an id, which the titles of its tests contain. `requirements.test.ts` fails for an id without a test.
 */
export interface Requirement {
  readonly id: string;
  /** A line of an agent's document, the CLI in which the behaviour was measured, or our own promise. */
  readonly source: string;
  /** The document's own word. `DOES`: a statement without such a word, a measured behaviour, or a promise. */
  readonly level: 'MUST' | 'SHOULD' | 'MAY' | 'DOES';
  readonly text: string;
  /** What we do instead, and why. Its agent's `PROTOCOL.md` lists it. */
  readonly deviation?: string;
  /** The files with its tests, from the root of the repository. */
  readonly tests: readonly string[];
}

/** Test folders by the name before the slash in the tables below. Without a slash: packages/agents/test. */
const testFolders: Readonly<Record<string, string>> = {
  companion: 'packages/companion/test',
  reviews: 'packages/reviews/test',
  page: 'packages/page/test',
  remote: 'hosts/remote/test',
  standalone: 'hosts/standalone/test',
  e2e: 'e2e/test',
  mcp: 'packages/mcp/test',
  vscode: 'e2e-vscode/test',
  extension: 'hosts/vscode/test',
};

/** Test files of packages/agents by the names that the tables below use. */
const testFiles: Readonly<Record<string, string>> = {
  connection: 'companion.connection',
  context: 'companion.context',
  diff: 'companion.diff',
};

/**
 * The requirements of the companion interface of Gemini CLI and Qwen Code: number | line in Gemini's document | in
 * Qwen's | in Qwen's older one | level, or the three levels | what | tests
 */
const companionDemands = `
  1  | 20  | 13  | 13  | MUST   | Run a local HTTP server that implements MCP. | connection
  2  | 22  | 15  | 15  | MUST   | Be a valid MCP server. | connection e2e/conformance
  3  | 24  | 16  | 17  | SHOULD | Serve all MCP communication at one endpoint, such as /mcp. | connection
  4  | 26  | 17  | 19  | MUST   | Listen on a port that the system assigns. | connection
  5  | 30  | 21  | 23  | MUST   | Be found by a discovery file. | discovery companion/discovery
  6  | 35  | 24  | 27  | MUST   | Write the file to its folder, and create the folder if it is missing. | discovery companion/discovery
  7  | 38  | 25  | 29  | MUST   | Name the file after the pattern. | discovery companion/discovery
  8  | 40  | -   | 31  | MUST   | Include the process id of the IDE in the name. | discovery companion/discovery
  9  | 42  | 27  | 32  | MUST   | Include the port in the name. | discovery companion/discovery
  10 | 43  | 28  | 34  | MUST   | Contain a JSON object with the listed fields. | discovery companion/discovery
  11 | 56  | 39  | 46  | MUST   | Give the port as a number. | discovery companion/discovery
  12 | 57  | 40  | 47  | MUST   | List all workspace roots, separated by the system's path delimiter. | discovery companion/discovery
  13 | 62  | 40  | 47  | MUST   | List the correct absolute paths of the open workspaces. | discovery companion/discovery
  14 | 64  | 41  | 48  | MUST   | Give the token. | discovery companion/discovery
  15 | 68  | -   | 50  | MUST   | Give a short lower-case name of the IDE. | discovery companion/discovery
  16 | 70  | -   | 51  | MUST   | Give a display name of the IDE. | discovery companion/discovery
  17 | 72  | 45  | 53  | MUST   | Generate a unique secret token and write it to the file. | connection discovery companion/discovery
  18 | 75  | 45  | 53  | MUST   | Check the token of every request and refuse unauthorised ones. | connection
  19 | 78  | 46  | 55  | SHOULD MUST SHOULD | Set an environment variable with the port in the terminal. | discovery vscode/terminals
  20 | 87  | 52  | 59  | MAY    | Report the user's activity to the CLI. | context
  21 | 90  | 56  | 63  | MAY    | Send ide/contextUpdate whenever the context changes. | context
  22 | 95  | 59  | 66  | SHOULD | Send it when a file is opened, closed or focused. | context
  23 | 96  | 60  | 67  | SHOULD | Send it when the cursor or the selection in the active file changes. | context
  24 | 93  | 58  | 65  | SHOULD | Debounce by 50 ms. | context
  25 | 97  | 61  | 69  | MUST   | Send an IdeContext object. | context
  26 | 107 | 72  | 78  | MUST   | Name files by absolute paths. | context
  27 | 131 | 95  | 100 | MUST   | Send for each file when it last had the focus, as a Unix timestamp. | context
  28 | 135 | 96  | 102 | SHOULD | Set isActive for the focused file only. | context
  29 | 114 | 79  | 85  | MUST   | Count lines and characters of the cursor from 1. | context
  30 | 119 | 84  | 90  | MAY    | Send the selected text. | context
  31 | 123 | 89  | 94  | MUST   | Omit files that do not exist on disk. | context
  32 | 103 | 67  | 74  | MAY    | Send whether the workspace is trusted. | context
  33 | 135 | 96  | 102 | SHOULD | Send cursor and selection of the focused file only. | context
  34 | 140 | 99  | 106 | SHOULD | Limit what is sent; the CLI's limits are 10 files and 16 KB. | context
  35 | 143 | 103 | 110 | MAY    | Show proposed changes for review, including new files. | diff
  36 | 148 | 107 | 114 | MUST   | Register the tool openDiff. | diff
  37 | 152 | 110 | 118 | MUST   | Accept an OpenDiffRequest; the absolute path and the new content are required. | diff
  38 | 162 | 121 | 128 | MUST   | Answer openDiff immediately. | diff
  39 | 165 | 122 | 129 | MUST   | Answer an opened diff with empty content. | diff
  40 | 167 | 123 | 130 | MUST   | Answer a failure with isError and a text that describes it. | diff
  41 | 149 | 109 | 116 | DOES   | The diff view can be edited. | diff
  42 | 170 | 125 | 131 | DOES   | The outcome follows later, as a notification. | diff
  43 | 173 | 129 | 135 | MUST   | Register the tool closeDiff. | diff
  44 | 177 | 132 | 139 | MUST   | Accept a CloseDiffRequest; the path is required. | diff
  45 | 186 | 142 | 148 | MUST   | Answer closeDiff with one text block with the final content. | diff
  46 | 189 | 143 | 149 | MUST   | Answer a failed closeDiff with isError and a text that describes it. | diff
  47 | 193 | 147 | 153 | MUST   | Send ide/diffAccepted when the user accepts. | diff
  48 | 196 | 149 | 155 | MUST   | Send the path and the final content, with the user's edits. | diff
  49 | 208 | 162 | 167 | MUST   | Send ide/diffRejected with the path when the user rejects, for example by closing the diff. | diff vscode/review e2e/page/closing
  55 | 211 | 164 | 169 | MUST   | Send the path of the rejected diff. | diff
  50 | 222 | 177 | 181 | MUST   | On activation start the server and create the discovery file. | connection companion/discovery
  51 | 225 | 180 | 185 | MUST   | On deactivation stop the server and delete the discovery file. | connection companion/discovery
  52 | -   | 42  | -   | MUST   | Give the process id of the IDE as ppid. | discovery companion/discovery
  53 | -   | 43  | -   | MUST   | Give a display name of the IDE as ideName. | discovery companion/discovery
  54 | -   | 48  | -   | MAY    | Also write the legacy files in the temporary folder. | discovery companion/discovery
`;

/** What both real CLIs need, or what we promise to both: number | why | what | tests */
const companionBehaviours = `
  60 | measured | Negotiates the MCP version that the CLI requests, and answers notifications/initialized with 202. | connection
  61 | measured | Accepts the GET stream and tools/list concurrently. | connection
  62 | measured | Sends the context, and earlier decisions, as soon as the GET stream opens. | connection context
  63 | measured | Wraps the final content in JSON {"content"}: the CLI ignores plain text. | diff
  64 | measured | Sends no notification for closeDiff: one before the answer turns an acceptance in the terminal into a rejection. | diff
  65 | measured | Echoes the path in the CLI's own spelling: it ignores any other. | diff
  66 | measured | Does not accept an empty text: the CLI would write its proposal instead. | diff
  67 | measured | Withdraws the diffs of a CLI whose stream closes: at SIGHUP nothing else reports it. | connection
  68 | measured | Accepts closeDiff with and without suppressNotification, and with unknown arguments. | diff
  69 | measured | Sends no context update that violates the CLI's schema, because the CLI would disconnect. | context
  70 | measured | Accepts a proposal of 11 MB. | diff
  71 | measured | Keeps a silent stream alive: the CLI closes it after 300 s. | context
  72 | measured | Continues a session whose stream ended and opens again. | context
  73 | measured | Keeps the older session when the CLI connects again. | connection
  74 | measured | Accepts the host name host.docker.internal, which a CLI in a container uses. | connection
  75 | measured | Has ideInfo in the file, which lets the CLI connect in any terminal. | discovery
  76 | measured | Provides the CLI's other environment variables. | discovery
  77 | measured | Writes no empty entry to the list of folders: it would match every folder. | discovery
  78 | promise  | Gives each session its own answer, even for the same path. | connection sharing
  79 | promise  | Sends nothing if nothing changed. | context
  80 | measured | Needs no DELETE at the end of a session. | connection
  83 | measured | Accepts a closeDiff that overtakes its openDiff. | diff
  84 | promise  | Replaces the diff of a path with the next proposal for it, and keeps those of other paths. | diff
  85 | promise  | Sends a rejection if a view fails after the acknowledgement. | diff
  86 | promise  | Withdraws a diff whose openDiff was cancelled. | diff
  87 | promise  | Clears the CLI's context when sharing is paused. | context sharing
  88 | promise  | Holds back files that the agent's ignore file excludes. | context
  89 | promise  | Neither names nor quotes a hidden file, but lets the agent propose changes to it. | sharing
`;

/**
 * The document of Claude Code rarely uses MUST or SHOULD, so nearly every statement of it is a requirement. Then what
 * the real CLI needs, and what we promise: number | line in the document, or why | level | what | tests
 */
const claudeStatements = String.raw`
  1  | 46       | DOES   | The lock file is ~/.claude/ide/{port}.lock. | discovery companion/discovery
  2  | 51       | DOES   | CLAUDE_CONFIG_DIR moves it. | discovery companion/discovery standalone/serve.process
  3  | 56       | DOES   | The lock file is a JSON object with six fields. | discovery companion/discovery
  4  | 68       | DOES   | workspaceFolders lists the workspace paths, POSIX-style. | discovery companion/discovery
  5  | 69       | DOES   | pid is the process id of the IDE, with which the CLI checks that it is running. | discovery companion/discovery
  6  | 70       | DOES   | ideName is the name of the IDE. | discovery companion/discovery
  7  | 71       | DOES   | transport is always "ws". | discovery companion/discovery
  8  | 72       | DOES   | runningInWindows: whether the IDE runs on Windows. | discovery companion/discovery
  9  | 73       | DOES   | authToken is the token. | discovery companion/discovery
  10 | 546      | SHOULD | Only the user can read and write the lock file. | companion/discovery
  11 | 650      | DOES   | The token is 64 random bytes in base64url. | claude.connection
  12 | 80       | DOES   | The endpoint is ws://{host}:{port}/mcp. | claude.connection
  13 | 83       | DOES   | The host is 127.0.0.1 by default, or 0.0.0.0 if configured for all interfaces. | claude.connection
  14 | 85       | DOES   | The path is /mcp. | claude.connection
  15 | 84       | DOES   | The port is a random free one. | claude.connection
  16 | 91       | DOES   | The header Sec-WebSocket-Protocol is mcp. | claude.connection
  17 | 92       | DOES   | The header X-Claude-Code-Ide-Authorization contains the token. | claude.connection
  18 | 107      | DOES   | Without the right token the socket closes with 1008 and the prescribed reason. | claude.connection
  19 | 113      | DOES   | Messages are JSON-RPC 2.0 in text frames. | claude.connection
  20 | 142      | DOES   | initialize is answered with serverInfo and capabilities. | claude.connection
  21 | 127      | DOES   | The capabilities have tools.listChanged. | claude.connection
  22 | 147      | DOES   | tools/list is answered. | claude.connection
  23 | 149      | DOES   | resources/list is answered with an empty list. | claude.connection
  24 | 274      | DOES   | A tool has name, description and input schema. | claude.connection claude.tools
  25 | 151      | DOES   | prompts/list is answered with an empty list. | claude.connection
  26 | 164      | DOES   | selection_changed is sent when cursor or selection change. | claude.context
  27 | 183      | DOES   | selection contains 0-based positions. | claude.context
  28 | 184      | DOES   | text is the selected text. | claude.context
  29 | 185      | DOES   | filePath is the path of the file. | claude.context
  30 | 202      | DOES   | at_mentioned is sent when the user mentions a file. | claude.context
  31 | 218      | DOES   | at_mentioned contains filePath and 0-based lineStart and lineEnd. | claude.context
  32 | 224      | DOES   | diagnostics_changed is sent when the diagnostics of a file change. | claude.context
  33 | 241      | DOES   | ide_connected is accepted. | claude.connection
  34 | 256      | DOES   | Its pid is the process id of the CLI. | claude.connection
  35 | 257      | DOES   | Its isPluginVersionUnsupported reports that the companion is too old. | claude.connection
  36 | 296      | DOES   | openDiff is answered when the user accepts, rejects, or closes the diff without a decision, which rejects. | claude.openDiff vscode/review e2e/page/closing
  37 | 319      | DOES   | openDiff takes old_file_path, new_file_contents and tab_name. | claude.openDiff
  38 | 327      | DOES   | An acceptance is answered with FILE_SAVED and the contents. | claude.openDiff
  39 | 297      | DOES   | openDiff displays the diff for a decision. | claude.openDiff
  40 | 328      | DOES   | A rejection is answered with DIFF_REJECTED. | claude.openDiff
  41 | 337      | DOES   | openFile takes an absolute filePath and makeFrontmost. | claude.tools
  42 | 343      | DOES   | openFile answers OK or the prescribed failure. | claude.tools
  43 | 360      | DOES   | open_files returns the files that it opened. | claude.tools
  44 | 371      | DOES   | close_tab takes the name of a diff or the path of a file. | claude.openDiff claude.tools
  45 | 376      | DOES   | close_tab answers OK or Tab not found. | claude.tools
  46 | 390      | DOES   | get_all_opened_file_paths returns absolute paths, one per line. | claude.tools
  47 | 404      | DOES   | reformat_file answers OK or File not found. | claude.tools
  48 | 420      | DOES   | getDiagnostics returns a list of files with their diagnostics. | claude.tools
  49 | 414      | DOES   | getDiagnostics takes a file URI, or null for the current file. | claude.tools
  50 | 435      | DOES   | Severities are ERROR, WARNING, WEAK_WARNING and INFO. | claude.tools
  51 | 510      | DOES   | URIs are file:///path. | claude.tools
  52 | 449      | DOES   | After a client disconnects, the next one may connect. | claude.connection
  53 | 451      | DOES   | At shutdown the lock file is deleted. | companion/discovery
  54 | 463      | DOES   | ping is answered with an empty result. | claude.connection
  55 | 486      | DOES   | Tool errors are results with isError and a text. | claude.openDiff claude.tools
  56 | 472      | DOES   | Unknown methods are answered with -32601. | claude.connection
  57 | 353      | DOES   | Paths are absolute. | claude.tools
  58 | promise  | DOES   | Offers the tools that Claude Code's own companions have beyond the document. | claude.tools
  59 | 450      | DOES   | At shutdown the connections close. | claude.connection claude.openDiff
  60 | measured | DOES   | The CLI connects to the path /. | claude.connection
  61 | measured | DOES   | The CLI requires that the subprotocol is echoed. | claude.connection
  62 | measured | DOES   | The CLI accepts 2025-11-25, 2025-03-26 and 2024-11-05. | claude.connection
  63 | measured | DOES   | The CLI requests resources and prompts only if they are advertised; they are not. | claude.connection
  64 | measured | DOES   | The CLI drops notifications right after tools/list, so the first ones are delayed by 0.5 to 1 s. | claude.context
  65 | 544      | DOES   | Each companion has its own token. | claude.connection
  66 | 545      | DOES   | The server binds to 127.0.0.1. | claude.connection
  67 | 534      | DOES   | The server validates that the client requests the subprotocol mcp. | claude.connection opencode
  68 | 521      | DOES   | The token has no padding. | claude.connection
  69 | 527      | DOES   | The system assigns the port. | claude.connection
  70 | measured | DOES   | The CLI writes the text that follows FILE_SAVED. | claude.openDiff
  71 | measured | DOES   | The CLI fails if the companion writes the file itself, so it never does. | claude.openDiff
  72 | measured | DOES   | The CLI treats TAB_CLOSED as an acceptance, so it is never sent. | claude.openDiff
  73 | measured | DOES   | After an error, the CLI asks for the decision in the terminal. | claude.openDiff
  74 | measured | DOES   | The CLI calls close_tab after every outcome, usually twice, and at any moment. | claude.openDiff
  75 | measured | DOES   | The CLI calls closeAllDiffTabs at every prompt; only its own diffs close. | claude.openDiff
  76 | measured | DOES   | A killed CLI closes its socket and nothing else: its diffs are withdrawn. | claude.openDiff
  77 | measured | DOES   | The CLI converts a file to CRLF if the answer has CRLF, so the answer has LF like the proposal. | claude.openDiff
  78 | measured | DOES   | The CLI drops at_mentioned with null lines, so they are omitted. | claude.context
  79 | measured | DOES   | The CLI drops selection_changed with nulls and keeps the older one; empty texts clear it. | claude.context
  80 | measured | DOES   | The CLI receives the selection again after a reconnect, and empty texts if no file is active. | claude.context
  81 | promise  | DOES   | Sends nothing if nothing changed. | claude.context
  82 | promise  | DOES   | Sends at most 16 KiB of selected text. | claude.context
  83 | measured | DOES   | The CLI disables diagnostics for one server name, which we do not use. | claude.connection
  84 | promise  | DOES   | Neither names nor quotes a hidden file. | claude.context claude.tools sharing
  85 | promise  | DOES   | Gives each session its own answer, even for the same path. | claude.openDiff sharing
  86 | promise  | DOES   | Ends the older call when the session proposes for the same path again. | claude.openDiff
  87 | promise  | DOES   | Withdraws a diff whose call was cancelled. | claude.openDiff
  88 | promise  | DOES   | Does not offer tools that the editor cannot support. | claude.tools
  89 | measured | DOES   | The CLI compares URIs as raw text; a client that encodes them receives encoded ones. | claude.tools
  90 | measured | DOES   | The CLI waits 500 ms for one file and 2 s for all; an error is sent before that. | claude.tools
  91 | 504      | DOES   | C:\Users\foo is /c/Users/foo on the wire. | claude.paths discovery
  92 | 511      | DOES   | URIs of Windows are file:///c:/Users/foo. | claude.paths
  93 | measured | DOES   | The CLI connects to neither of two lock files for one port, so there is only one. | discovery companion/discovery
  94 | promise  | DOES   | Holds back files that the project's settings forbid Claude Code to read. | claude.permissions
  95 | 231      | DOES   | diagnostics_changed contains uri and diagnostics. | claude.context
  96 | 456      | DOES   | The server pings every 5 s, and disconnects a client that does not answer within 3 s. | claude.connection
  97 | measured | DOES   | The CLI disconnects after a frame above 16 MiB, so none is sent. | claude.connection
  98 | 663      | DOES   | notifications/initialized and other notifications are accepted without an answer. | claude.connection
  99 | measured | DOES   | Ids count from 0, and calls carry a progress token. | claude.connection
  100 | 321     | DOES   | tab_name is the title of the diff. | companion/control standalone/reviewDiff page/shellWords vscode/hostile
  101 | 50      | DOES   | An option of the command and a setting of VS Code also move the lock file. | standalone/serve.process extension/extension
  102 | 184     | DOES   | text is null without a selection, and filePath is null without an open file. | claude.context
  103 | 219     | DOES   | lineStart and lineEnd are null for a whole file. | claude.context
`;

/** opencode and Kilo CLI as clients of Claude Code's interface: number | why | what | tests */
const opencodeStatements = `
  1  | measured | The CLI presents the token in Claude Code's header and offers no subprotocol. | opencode e2e/contextAgents
  2  | promise  | A client without a subprotocol is refused without the token. | opencode
  3  | measured | Both CLIs call themselves opencode; the process of the client distinguishes them. | opencode e2e/contextAgents
  4  | measured | The CLI counts lines from 1. | opencode e2e/contextAgents
  5  | measured | The CLI drops at_mentioned without two line numbers; from line 1 to line 1 is the whole file. | opencode e2e/contextAgents
  6  | measured | The CLI loses no notification after notifications/initialized. | opencode e2e/contextAgents
  7  | measured | The CLI drops selection_changed with nulls; empty texts clear the selection. | opencode
  8  | measured | The CLI reads ~/.claude/ide only and chooses the deepest folder, then the newest file. | opencode
  9  | measured | The CLI sends no token to the port in CLAUDE_CODE_SSE_PORT, so our spelling of it is no port for the CLI. | opencode e2e/contextAgents
  10 | promise  | The CLI is refused while Claude Code is not served. | opencode
  11 | measured | The CLI never requests tools. | opencode
  12 | measured | Kilo CLI does not read what .kilocodeignore lists, so it is hidden from agents. | opencode
  13 | promise  | Held-back files are neither named nor quoted in any message. | sharing
  14 | measured | The CLI reconnects within 10 s after the companion restarted. | e2e/contextAgents
  15 | measured | The CLI answers no JSON-RPC ping, so it is pinged by frames. | e2e/contextAgents
  16 | promise  | A program with Claude Code's token sees nothing that is hidden from Claude Code. | opencode
`;

/**
 * The event table of the daemon adapter, row by row, and further requirements of its text. Then what the real daemon
 * needs: number | line in the document, or why | level | what | tests, below packages/chat/test, e2e/test/daemon or
 * e2e-vscode/test
 */
const daemonStatements = `
  1  | 51 | DOES | session_update is reported to onSessionUpdate. | e2e/ideConnection
  2  | 52 | DOES | permission_request is passed to onPermissionRequest, and the answer is sent. | ideConnection consent e2e/ideConnection ideEdges
  3  | 53 | DOES | A permission_request of kind ask_user_question with a list of questions is passed to onAskUserQuestion, and its answers are forwarded. | ideConnection consent judgeRequest e2e/ideConnection
  4  | 54 | DOES | Only session_died of the own session is reported to onDisconnected, with its reason. | faults e2e/endings
  5  | 55 | DOES | The natural end of the stream is reported to onDisconnected as stream_ended, its failure as daemon_error. | faults retries e2e/endings
  6  | 55 | DOES | A disconnect is reported as disconnected. | e2e/ideConnection
  7  | 57 | DOES | sendPrompt waits for the daemon's response to the prompt, and calls onEndTurn with its stopReason. | ideConnection e2e/ideConnection ideEdges
  8  | 59 | DOES | A failed prompt is reported as error to onEndTurn. | ideConnection e2e/ideConnection ideEdges
  9  | 84 | MUST | Connects to an address of this machine only. | daemonUrl ideConnection daemonChat vscode/chat
  10 | 88 | DOES | A workspace mismatch is a setup error, which is not retried. | e2e/setup
  11 | 63 | DOES | Two concurrent connects share one connection. | ideConnection e2e/ideConnection
  12 | 70 | DOES | disconnect ends the stream and clears the callbacks. | ideConnection e2e/ideConnection ideEdges
  13 | 72 | DOES | lastEventId is captured on disconnect, and the next connect resumes there. | ideConnection e2e/ideConnection ideEdges
  14 | 56 | DOES | Other events are logged at debug level and passed to no callback. | faults
  15 | 69 | DOES | Nothing is sent before connect. | faults
  16 | measured | DOES | A broken stream is reopened while the turn continues; no event is reported twice. | faults
  17 | measured | DOES | The end of a turn can overtake the acknowledgement of its prompt. | faults
  18 | measured | DOES | An attached stream omits earlier events, so pending requests are read from the session's status. | consent e2e/conversation e2e/ideConnection
  19 | measured | DOES | A request that another client has answered is dismissed. | e2e/conversation e2e/ideConnection
  20 | measured | DOES | After a daemon was killed and restarted, the session continues, every text once. | e2e/endings
  21 | measured | DOES | Questions arrive as a tool of kind think, and answers are accepted by position only. | e2e/ideConnection
  22 | measured | DOES | No token is sent unless it was given, although the SDK would take one from the environment. | e2e/setup
  23 | measured | DOES | A compacted history has the end of a tool call before its permission. | reduceChat
  24 | 18 | DOES | sendPrompt takes a text or blocks of content. | ideConnection
  25 | 19 | DOES | cancelSession stops the turn. | ideConnection e2e/ideConnection
  26 | 20 | DOES | setModel switches the model and returns its id. | ideConnection e2e/ideConnection
  27 | 45 | DOES | The session comes from the given sessionFactory. | ideConnection ideEdges ideTypes
  28 | 80 | DOES | modelServiceId is the initial model. | ideConnection
  29 | 48 | DOES | One connection has one consumer of the event stream. | ideConnection
  30 | 10 | DOES | A permission request surfaces as a native quick pick. | vscode/chat
  31 | 9  | DOES | The daemon's events reach the webview as messages, and its panel stays in step. | vscode/chat
  32 | 82 | DOES | The workspace setting qwen.ide.daemonUrl, or an equivalent one, holds the daemon's address. | vscode/chat
  33 | 4  | DOES | The chat consumes the daemon's events through the adapter. | daemonChat
  34 | 78 | DOES | The token is sent as a bearer token with every request. | ideConnection
  35 | 79 | DOES | workspaceCwd is sent with the request for a session. | ideConnection
  36 | 58 | DOES | A turn that we abort is not reported as an error. | ideConnection
  37 | 30 | DOES | Each connection reports one end, without a code. | ideConnection
  38 | 44 | DOES | Without its own factory, a connection creates or attaches to the daemon's shared session. | ideConnection
  39 | 87 | DOES | The adapter depends on no view and no editor. | ideConnection
  40 | 72 | DOES | disconnect keeps the session: a connect with lastEventId continues there, as the only client, too. | ideEdges e2e/ideConnection
  41 | 18 | DOES | The public types are those of the document and of ACP. | ideTypes
  42 | 57 | DOES | No event of the stream produces onEndTurn. | ideConnection
  43 | 41 | DOES | The address that connect validated is the one that the session factory receives. | ideEdges
`;

/** Where we deviate from a document on purpose. The tests of these requirements hold what we do instead. */
const deviations: Readonly<Record<string, string>> = {
  'CLA-13':
    'Always 127.0.0.1. On another interface, every machine of the network could connect; a forwarded port serves the same purpose.',
  'CLA-67':
    'A client that requests no subprotocol is served as opencode or Kilo CLI if it presents the token, because these two request none. Any other subprotocol is refused.',
  'CLA-102': 'Both are empty texts, because the CLI drops a message with null and keeps the older selection.',
  'CLA-103': 'Both are omitted, because the CLI drops a mention with null.',
  'DMN-3':
    'The name of the tool decides, which the daemon sends in _meta, because its question tool has the kind think and any tool may have questions among its arguments. Without a name, the kind decides. A request of the question tool that carries more than questions is refused.',
  'DMN-5':
    'A broken stream is reopened for 15 s first, because a turn continues in the daemon. It ends at once if a retry is useless: the session was closed, or the token is refused.',
  'DMN-7':
    'qwen serve 0.24.4 responds with an id at once, so sendPrompt waits for the turn_complete with that id. A response with a stopReason is accepted, too.',
  'DMN-30':
    'It opens by itself only while the chat has the focus, because a quick pick closes any other; the chat and the status bar always show it. A setting changes this. Questions are asked in the same way.',
  'DMN-32':
    'The setting is tandem.daemon.url, and belongs to the machine: a repository must not choose where the chat connects.',
  'DMN-42':
    "The end of a prompt of sendPrompt arrives as an event of the stream (see DMN-7) and is reported. No other client's turn is.",
};

/** Copilot CLI has no document. number | why | what | tests */
const copilotStatements = `
  1  | promise  | The socket has mode 0600 in a folder with mode 0700, a path of at most 103 bytes, and is removed at the stop. | copilot
  2  | measured | The nonce is presented with the scheme Nonce and Host localhost, and is valid at the socket only. | copilot
  3  | promise  | A socket that answers and a file that is no socket are left alone. | copilot
  4  | measured | All connections of one process are one session, and those of two processes are not. | copilot
  5  | measured | A session ends 2 s after its last connection, and withdraws its proposals. | copilot
  6  | measured | A mention reaches each process once, also between two connections. | copilot e2e/copilot
  7  | measured | selection_changed has every field, and is sent to each new connection. | copilot e2e/copilot
  8  | measured | open_diff waits for the decision, and answers once with SAVED or REJECTED. | copilot e2e/copilot
  9  | measured | close_diff withdraws the review of a diff that is decided in the terminal. | copilot e2e/copilot
  10 | measured | A review that ends without a decision is answered with an error. | copilot
  11 | measured | A diff that is opened again after a reconnection continues, with edits and with a decision that was not received. | copilot e2e/copilot
  12 | measured | server/discover is refused, and the CLI falls back to initialize. | copilot
  13 | measured | A restarted companion has the same socket, nonce and sessions. | copilot e2e/copilot
  14 | measured | The lock file names socket, scheme, nonce, pid, time, folders and editor, and never isTrusted. | copilot e2e/copilot
  15 | measured | Each folder in which an agent starts has a lock file of its own. | copilot companion/unwrittenReviews e2e/copilot vscode/terminals
  16 | measured | It connects by itself in exactly the folder of a companion, and by hand in folders below it. | copilot standalone/doctorCopilot.process e2e/copilot
  17 | measured | Its settings switch the connection and the diffs off. | copilot standalone/doctorCopilot.process
  18 | measured | get_diagnostics is answered. | copilot
  19 | promise  | Files that are hidden from agents are neither named nor quoted. | sharing
  20 | measured | It writes its own text, so corrections are kept and offered afterwards. | companion/unwrittenReviews e2e/copilot vscode/interrupted
  21 | measured | update_session_name gives the session its title. | copilot
`;

const promise = 'promise of Tandem';

const companions = [
  { prefix: 'GEM', document: 'gemini-companion.md', cli: 'measured: gemini-cli 0.61.0' },
  { prefix: 'QWN', document: 'qwen-companion.md', cli: 'measured: qwen-code 0.24.4 and 0.15.10' },
  { prefix: 'QWL', document: 'qwen-companion-legacy.md' },
];

/** The requirements of Codex CLI: number | level | what | tests. All are measured, except those that are our promises. */
const codexStatements = `
  1  | measured | Listen at ipc/ipc.sock in its folder; on Windows at a named pipe. | codex.socket
  2  | measured | Follow CODEX_HOME. | codex.socket
  3  | measured | Give folder and socket to their user only. | codex.socket
  4  | promise  | Make no socket in a folder that is a link or another user's. | codex.socket
  5  | promise  | Never remove a socket at which another program listens. | codex.socket
  6  | measured | Answer a question without initialize. | codex.context
  7  | measured | Read frames with a length of four bytes, little endian. | codex.socket
  8  | measured | Answer with the present active file, selection and open tabs. | codex.context e2e/codex
  9  | measured | List a selection twice, otherwise the model receives no lines. | codex.context e2e/codex
  10 | measured | Name files relative to the folder of the CLI. | codex.context
  11 | promise  | Name ten files at most, and let no name begin a line of the prompt. | codex.context
  12 | measured | Compare the folder of the CLI, whose links are resolved, and answer that no client was found for any other. | codex.context
  13 | promise  | Answer with an error if the editor fails. | codex.context
  14 | promise  | Give a client with the name of the doctor nothing. | codex.context
  15 | promise  | Record questions and answers. | codex.context
  16 | promise  | Count as connected for five minutes after a question, and announce it once. | codex.context
  17 | promise  | Have one session for each folder. | codex.context
  18 | promise  | Replace a socket at which no process listens; of several companions, one does. | codex.socket
  19 | promise  | Make the socket again if it is removed. | codex.socket
  20 | promise  | Route each question to the companion with the innermost folder. | codex.socket e2e/codex
  21 | promise  | Take over within a second when the owner ends. | codex.socket standalone/codex.process e2e/codex
  22 | promise  | Answer the discovery and the requests of another router. | codex.socket
  23 | promise  | Report once why the socket cannot be used. | codex.socket
  24 | promise  | Pass on the messages of other clients. | codex.socket
  25 | promise  | Disconnect a client that sends no valid frame. | codex.socket
  26 | promise  | Disconnect a client that floods, does not read, or does not complete a frame. | codex.socket
  27 | promise  | Neither name nor quote a file that is hidden from agents, nor any while sharing is paused. | sharing e2e/codex
  28 | promise  | Continue while another companion is stopped. | standalone/codex.process
  29 | promise  | Take over from a companion that is stopped or hangs, not from one that is slow. | standalone/codex.process
  30 | promise  | Become a client of the companion that took over. | standalone/codex.process
`;

/** The promises of the editor protocol: number | what | tests */
const editorStatements = `
  1  | Send a review with all that a view needs. | standalone/editor/editorCalls
  2  | Drop and keep hunks. | standalone/editor/editorCalls
  3  | Accept the text of the user, and send no change back for an edit alone. | standalone/editor/editorCalls
  4  | Merge concurrent edits; lose nothing that was typed. | standalone/editor/editorCalls
  5  | Accept no text that the user has not seen. | standalone/editor/editorCalls
  6  | Follow the file under review, and undo no change of it without asking. | standalone/editor/editorCalls
  7  | Keep a review pending whose view is closed, and show it again. | standalone/editor/editorCalls
  8  | Keep a review pending in a busy editor, also if that ends; withdraw one that cannot be shown. | standalone/editor/editorCalls
  9  | Take comments, and compose them for the agent. | standalone/editor/editorCalls
  10 | Report files that an agent or Tandem has written. | standalone/editor/editorCalls
  11 | Report status and sessions when they change. | standalone/editor/editorCalls remote/reportToEditor
  12 | Name the method and the member of a wrong parameter. | standalone/editor/editorCalls
  13 | Bound the number of open files. | standalone/editor/editorCalls
  14 | Be the one that agents and commands find first while the user works in it. | standalone/editor/editorCalls standalone/editor.process
  15 | Answer other folders with other variables for the terminals. | standalone/editor/editorCalls
  16 | Answer broken and too large messages, and continue. | standalone/editor.process
  17 | Survive a flood. | standalone/editor.process
  18 | Refuse everything before initialize. | standalone/editor.process
  19 | Leave no file by which it is found. | standalone/editor.process
  20 | End with its editor, and keep what was typed. | standalone/editor.process
  21 | Serve several windows of one folder, and continue one that was killed. | standalone/editor.process
  22 | Check a plugin with the editor contract. | standalone/editor.process
  24 | Bound what an editor has not read, and what is not answered yet. | remote/connection standalone/editor.process
  25 | Show interrupted reviews, and apply or discard them. | standalone/editor/editorCalls
  23 | Describe every message, and ship its schema. | remote/protocolPage remote/jsonSchema
  27 | Continue after a kill with other folders, in the same editor and in another one. | standalone/editor.process
  28 | Report that the companion cannot start. | standalone/editor.process
  29 | Use no capability that is not announced. | standalone/editor/editorCalls
  26 | Ask once before a whole session is decided, and name edits, comments and what stays pending. | reviews/desk/decideAll
  30 | Closing the view of a review that was not edited rejects it, in Neovim. | e2e/neovim.reviews
  31 | Closing the view of a review that was not edited rejects it, in Emacs. | e2e/emacsViews
  32 | Report what the user saves in the editor, with its text unless that is left out. | standalone/editor/editorCalls
`;

/** What the hooks of agents do: number | what | tests */
const hookStatements = `
1 | With "before", each edit waits for the user, in each mode of the agent that its hooks can hold, and nothing is written before. | claudeHooks geminiHooks e2e/hooks
2 | What the user corrected is what gets written, and the model is informed. | claudeHooks geminiHooks piHooks e2e/hooks
3 | The comments of a rejection reach the model. | claudeHooks e2e/hooks
4 | If the file changed while the hook waited, the merged text is written. | claudeHooks
5 | When the agent ends the hook, its review ends, and what was typed is kept. | claudeHooks piPlugin
6 | With "before", an edit that cannot be shown is denied with a reason; otherwise it is left alone. | claudeHooks
7 | Where nothing waits, an edit is recorded with its texts, once, and can be undone. | claudeHooks companion/sessionChanges e2e/hooks
8 | The token of the hooks permits nothing but their calls. | mcp/callEndpoint
9 | Hooks are added to settings only with consent, and removed without a trace. | companion/hookSettings hookEntries standalone/hook.process e2e/installedHooks
10 | A text that is left for the model reaches it once, with the next prompt. | geminiHooks piPlugin e2e/hooks
11 | Views show which edits of a session wait, and change it while it runs. | e2e/page/agents e2e/pluginHooks
12 | What a command of an agent writes is recorded with the command, and undone without what anything else wrote. | companion/seenChanges.process
13 | What something else may have written is recorded as uncertain, and is in no undo of several files. | companion/seenChanges.process
14 | An edit of a notebook is shown as the text that it leaves; what the agent chooses only when it writes is named. | notebookEdits e2e/notebooks
`;

const listed: readonly Requirement[] = [
  ...companions.flatMap(({ prefix, document, cli }, index) => [
    ...rows(companionDemands, 7).flatMap(([number, ...cells]): Requirement[] => {
      const line = cells[index];
      const [levels = '', text = '', tests = ''] = cells.slice(3);
      if (line === '-') return [];
      const level = levels.split(' ')[index] ?? levels;
      return [
        {
          id: `${prefix}-${number}`,
          source: `${document}:${line}`,
          level: levelOf(level),
          text,
          ...heldBy(tests),
        },
      ];
    }),
    ...rows(companionBehaviours, 4).flatMap(([number, why, text = '', tests = '']): Requirement[] => {
      if (cli === undefined) return [];
      const source = why === 'promise' ? promise : cli;
      return [{ id: `${prefix}-${number}`, source, level: 'DOES', text, ...heldBy(tests) }];
    }),
  ]),
  ...rows(claudeStatements, 5).map(([number, why = '', level = '', text = '', tests = '']): Requirement => {
    const origins: Record<string, string> = { promise, measured: 'measured: claude-code 2.1.332' };
    const source = origins[why] ?? `claude-code-ide.md:${why}`;
    return { id: `CLA-${number}`, source, level: levelOf(level), text, ...heldBy(tests) };
  }),
  ...rows(codexStatements, 4).map(([number, why, text = '', tests = '']): Requirement => {
    const source = why === 'promise' ? promise : 'measured: codex 0.171.0';
    return { id: `CDX-${number}`, source, level: 'DOES', text, ...heldBy(tests) };
  }),
  ...rows(copilotStatements, 4).map(([number, why, text = '', tests = '']): Requirement => {
    const source = why === 'promise' ? promise : 'measured: copilot 1.0.102';
    return { id: `COP-${number}`, source, level: 'DOES', text, ...heldBy(tests) };
  }),
  ...rows(opencodeStatements, 4).map(([number, why, text = '', tests = '']): Requirement => {
    const source = why === 'promise' ? promise : 'measured: opencode 1.18.34 and kilo 7.7.9';
    return { id: `OPC-${number}`, source, level: 'DOES', text, ...heldBy(tests) };
  }),
  ...rows(editorStatements, 3).map(([number, text = '', tests = '']): Requirement => {
    return { id: `EDT-${number}`, source: promise, level: 'DOES', text, ...heldBy(tests) };
  }),
  ...rows(hookStatements, 3).map(([number, text = '', tests = '']): Requirement => {
    return { id: `HOK-${number}`, source: promise, level: 'DOES', text, ...heldBy(tests) };
  }),
  ...rows(daemonStatements, 5).map(([number, why = '', level = '', text = '', tests = '']): Requirement => {
    const source = why === 'measured' ? 'measured: qwen-code 0.24.4' : `qwen-daemon-adapter.md:${why}`;
    return { id: `DMN-${number}`, source, level: levelOf(level), text, tests: daemonTests(tests) };
  }),
];

export const requirements: readonly Requirement[] = listed.map((requirement) => {
  const deviation = deviations[requirement.id];
  return deviation === undefined ? requirement : { ...requirement, deviation };
});

/** The rows of a table, each with this number of cells. */
function rows(table: string, cells: number): string[][] {
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const row = line.split(' | ').map((cell) => cell.trim());
      if (row.length !== cells) throw new Error(`Expected ${cells} cells, found ${row.length}: ${line}`);
      return row;
    });
}

function levelOf(word: string): Requirement['level'] {
  if (word === 'MUST' || word === 'SHOULD' || word === 'MAY' || word === 'DOES') return word;
  throw new Error(`No level: ${word}`);
}

function heldBy(tests: string): Pick<Requirement, 'tests'> {
  return {
    tests: tests.split(' ').map((name) => {
      const slash = name.indexOf('/');
      const folder = testFolders[name.slice(0, Math.max(slash, 0))];
      if (folder === undefined) return `packages/agents/test/${testFiles[name] ?? name}.test.ts`;
      return `${folder}/${name.slice(slash + 1)}.test.ts`;
    }),
  };
}

function daemonTests(names: string): string[] {
  return names.split(' ').map((name) => {
    const [file = '', place = ''] = name.split('/').reverse();
    const folders: Record<string, string> = { e2e: 'e2e/test/daemon', vscode: 'e2e-vscode/test' };
    return `${folders[place] ?? 'packages/chat/test'}/${file}.test.ts`;
  });
}
