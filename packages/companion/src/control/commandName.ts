/** How the user of this process runs the command: through npx where npm started it, as in a checkout. */
export const commandName = process.env.npm_command === undefined ? 'tandem' : 'npx tandem';
