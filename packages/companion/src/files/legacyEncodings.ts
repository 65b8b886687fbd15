/** The packages for encodings other than Unicode: large, so imported with the first file that needs them. */
export { detect } from 'chardet';
export { default as iconv } from 'iconv-lite';
