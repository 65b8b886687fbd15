const svg = 'http://www.w3.org/2000/svg';

/** Paths of lucide's icons of the same meaning, for places that React does not draw. */
const paths = {
  drop: ['M18 6 6 18', 'm6 6 12 12'],
  undo: ['M9 14 4 9l5-5', 'M4 9h10.5a5.5 5.5 0 0 1 5.5 5.5a5.5 5.5 0 0 1-5.5 5.5H11'],
} as const;

/** A small icon for an editor's own elements. It says nothing to a screen reader: its button does. */
export function drawIcon(name: keyof typeof paths): SVGSVGElement {
  const icon = document.createElementNS(svg, 'svg');
  const attributes = {
    viewBox: '0 0 24 24',
    width: '14',
    height: '14',
    fill: 'none',
    stroke: 'currentColor',
    'stroke-width': '2',
    'stroke-linecap': 'round',
    'stroke-linejoin': 'round',
    'aria-hidden': 'true',
  };
  for (const [key, value] of Object.entries(attributes)) icon.setAttribute(key, value);
  for (const d of paths[name]) {
    const path = document.createElementNS(svg, 'path');
    path.setAttribute('d', d);
    icon.append(path);
  }
  return icon;
}
