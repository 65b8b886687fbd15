/** The line of the cursor after the last event of the loaded companion. No earlier event moves the cursor there. */
export const lastLine = 987_654;
