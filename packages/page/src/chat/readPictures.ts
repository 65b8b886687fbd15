import type { DraftImage } from './panelState.js';

/** What models take. */
export const pictureTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** A larger one is refused by every model's provider. */
const mostBytes = 8 * 1024 * 1024;
let lastKey = 0;

/** Pictures as they are sent. Rejects with words for the person. */
export function readPictures(files: readonly File[]): Promise<readonly DraftImage[]> {
  return Promise.all(
    files.map(async (file) => {
      if (!pictureTypes.includes(file.type))
        throw new Error(`${file.name} is not a PNG, JPEG, GIF or WebP file.`);
      if (file.size > mostBytes) throw new Error(`${file.name} is larger than 8 MB.`);
      lastKey += 1;
      return { key: lastKey, mimeType: file.type, data: await readBase64(file) };
    }),
  );
}

function readBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(new Error(`${file.name} cannot be read.`, { cause: reader.error }));
    reader.readAsDataURL(file);
  });
}
