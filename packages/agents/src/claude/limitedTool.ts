import { type Clock, inTime, TooLateError } from '@tandem/core';
import { type McpTool, ToolError } from '@tandem/mcp';

/**
 * How long the editor and its files may take over one call, in milliseconds. Long enough for an editor that formats before
 * it saves.
 */
const toolLimitMs = 20_000;

/** The same tool, which tells the agent when the editor does not answer. What it asked for may still be done later. */
export function limitedTool(tool: McpTool, clock: Clock): McpTool {
  return {
    ...tool,
    async run(input, context) {
      try {
        return await inTime(clock, toolLimitMs, Promise.resolve(tool.run(input, context)));
      } catch (error) {
        if (!(error instanceof TooLateError)) throw error;
        throw new ToolError(
          `${tool.name}: ${error.message} It may still do so later: ask the user to check the editor before you try again.`,
          { cause: error },
        );
      }
    },
  };
}
