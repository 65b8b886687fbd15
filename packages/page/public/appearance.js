// Applies the user's theme and text size. It runs before the first paint, so it is not part of the page's modules, and again
// when `appearancePreferences` changes here or in another tab.
const applyAppearance = () => {
  let chosen = {};
  try {
    chosen = JSON.parse(localStorage.getItem('tandem.appearance') ?? '{}').state ?? {};
  } catch {
    // Without storage, and with a value of another program, the system's appearance is used.
  }
  const { dataset, style } = document.documentElement;
  if (chosen.theme === 'light' || chosen.theme === 'dark') dataset.theme = chosen.theme;
  else delete dataset.theme;
  style.fontSize = chosen.textSize >= 75 && chosen.textSize <= 200 ? `${chosen.textSize}%` : '';
};
applyAppearance();
addEventListener('tandem-appearance', applyAppearance);
addEventListener('storage', applyAppearance);
