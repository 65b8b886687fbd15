/** Where the cursor of the loaded companion stands when its events have ended. No event before leads there. */
export const lastLine = 987_654;
