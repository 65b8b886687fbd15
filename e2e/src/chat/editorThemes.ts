/** The colours of VS Code's default themes that the chat panel uses, and the classes of a webview's body in them. */
export interface EditorTheme {
  readonly classes: string;
  readonly colours: Readonly<Record<string, string>>;
}

const shared = {
  'font-family': 'system-ui, sans-serif',
  'font-size': '13px',
  'editor-font-family': 'monospace',
};

/** By the name for a picture: Light Modern, Dark Modern, Dark High Contrast. */
export const editorThemes: Readonly<Record<'light' | 'dark' | 'contrast', EditorTheme>> = {
  light: {
    classes: 'vscode-light',
    colours: {
      ...shared,
      foreground: '#3b3b3b',
      'sideBar-background': '#f8f8f8',
      'sideBar-foreground': '#3b3b3b',
      'editor-background': '#ffffff',
      'editorWidget-background': '#f8f8f8',
      'list-hoverBackground': '#f2f2f2',
      'panel-border': '#e5e5e5',
      'widget-border': '#e5e5e5',
      'button-background': '#005fb8',
      'button-hoverBackground': '#0258a8',
      'button-foreground': '#ffffff',
      'textLink-foreground': '#005fb8',
      focusBorder: '#005fb8',
      'gitDecoration-addedResourceForeground': '#587c0c',
      'gitDecoration-deletedResourceForeground': '#ad0707',
      'diffEditor-insertedLineBackground': '#9bb95533',
      'diffEditor-removedLineBackground': '#ff000033',
      'editorWarning-foreground': '#bf8803',
      errorForeground: '#f85149',
      'charts-purple': '#652d90',
    },
  },
  dark: {
    classes: 'vscode-dark',
    colours: {
      ...shared,
      foreground: '#cccccc',
      'sideBar-background': '#181818',
      'sideBar-foreground': '#cccccc',
      'editor-background': '#1f1f1f',
      'editorWidget-background': '#202020',
      'list-hoverBackground': '#2a2d2e',
      'panel-border': '#2b2b2b',
      'widget-border': '#313131',
      'button-background': '#0078d4',
      'button-hoverBackground': '#026ec1',
      'button-foreground': '#ffffff',
      'textLink-foreground': '#4daafc',
      focusBorder: '#0078d4',
      'gitDecoration-addedResourceForeground': '#81b88b',
      'gitDecoration-deletedResourceForeground': '#c74e39',
      'diffEditor-insertedLineBackground': '#9bb95533',
      'diffEditor-removedLineBackground': '#ff000033',
      'editorWarning-foreground': '#cca700',
      errorForeground: '#f85149',
      'charts-purple': '#b180d7',
    },
  },
  contrast: {
    classes: 'vscode-high-contrast',
    colours: {
      ...shared,
      foreground: '#ffffff',
      'sideBar-background': '#000000',
      'sideBar-foreground': '#ffffff',
      'editor-background': '#000000',
      'editorWidget-background': '#0c141f',
      'panel-border': '#6fc3df',
      contrastBorder: '#6fc3df',
      contrastActiveBorder: '#f38518',
      'button-background': '#000000',
      'button-foreground': '#ffffff',
      'textLink-foreground': '#21a6ff',
      focusBorder: '#f38518',
      'gitDecoration-addedResourceForeground': '#a1e3ad',
      'gitDecoration-deletedResourceForeground': '#c74e39',
      'editorWarning-foreground': '#ffd370',
      errorForeground: '#f48771',
      'charts-purple': '#b180d7',
    },
  },
};
