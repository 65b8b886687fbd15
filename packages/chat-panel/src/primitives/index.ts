/** The parts that all views of page and chat are made of. A separate entry, because the page shows without its chat. */

export { Button, IconButton, joinClasses } from './button.js';
export { ChangeCounts, countOf, lineCountsInWords } from './changeCounts.js';
export { ConfirmDialog, Dialog } from './dialog.js';
export { Choice, Field, Menu, optionId, Select } from './field.js';
export { ariaKeys, isPlain, type KeyPress, keyText, matchesKey } from './keys.js';
export {
  type Announcement,
  Badge,
  Banner,
  Card,
  Count,
  EmptyState,
  ErrorBoundary,
  KeyHint,
  List,
  LiveRegion,
  nextAnnouncement,
  noAnnouncement,
  Row,
  RowButton,
  Spacer,
  StatusDot,
  Toolbar,
} from './layout.js';
export { Listeners } from './listeners.js';
export { useFit, useLoaded } from './loading.js';
