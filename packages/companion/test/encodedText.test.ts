import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { decodeText, encodeText } from '../src/files/encodedText.js';

const chinese = '# 这是一个测试文件，用于检查编码是否正确。\nprint("你好，世界")\n';
const japanese = '# これはテストファイルです。文字コードを確認します。\r\n';
const french = 'int main() { /* Grüße, über größere Straßen */ }\n';
const russian = '// Привет, мир. Это тест кодировки файла.\n';
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');

describe('a file in another encoding', () => {
  test.each([
    ['GB18030', 'gbk', chinese],
    ['Shift_JIS', 'shift_jis', japanese],
    ['EUC-JP', 'euc-jp', japanese],
    ['ISO-8859-1', 'latin1', french],
    ['windows-1251', 'windows-1251', russian],
    ['Big5', 'big5', '// 你好，世界。這是一個測試檔案，用來檢查編碼。\n'],
    ['EUC-KR', 'euc-kr', '// 안녕하세요 세계. 이것은 테스트 파일입니다.\n'],
  ])('%s is recognised, decoded and encoded exactly', async (encoding, written, text) => {
    const bytes = iconv.encode(text, written);
    expect(await decodeText(bytes)).toEqual({ text, encoding });
    expect(await encodeText(text, encoding)).toEqual(bytes);
  });

  test.each([
    ['UTF-16LE', utf16(`\uFEFF${chinese}`), `\uFEFF${chinese}`],
    ['UTF-16BE', utf16(`\uFEFF${chinese}`).swap16(), `\uFEFF${chinese}`],
    ['UTF-16LE', utf16('one\r\ntwo\n'), 'one\r\ntwo\n'],
    ['UTF-16BE', utf16('one\r\ntwo\n').swap16(), 'one\r\ntwo\n'],
    ['UTF-16LE', utf16('one: 一\r\ntwo\n'), 'one: 一\r\ntwo\n'],
  ])('%s is recognised with its mark, and by its zeros without one', async (encoding, bytes, text) => {
    expect(await decodeText(Buffer.from(bytes))).toEqual({ text, encoding });
    expect(await encodeText(text, encoding)).toEqual(bytes);
  });

  test.each(['', '\uFEFF'])(
    'large texts in Unicode are decoded and encoded exactly (mark: %j)',
    async (mark) => {
      for (const shift of ['', 'a', 'aa', 'aaa']) {
        const text = `${mark}${shift}${'x\u{1f600}é漢\n'.repeat(300_000)}`;
        expect((await decodeText(Buffer.from(text)))?.text === text).toBe(true);
        expect((await encodeText(text, undefined)).equals(Buffer.from(text))).toBe(true);
        for (const [encoding, bytes] of [
          ['UTF-16LE', utf16(text)],
          ['UTF-16BE', utf16(text).swap16()],
        ] as const) {
          expect((await encodeText(text, encoding)).equals(bytes)).toBe(true);
          if (mark !== '') expect((await decodeText(bytes))?.text === text).toBe(true);
        }
      }
    },
  );

  test('is recognised far behind its start, and in characters that the slices of a large file cut', async () => {
    for (const [before, after] of [
      [300_001, 1],
      [0, 30_000],
      [1, 30_000],
    ] as const) {
      const text = 'x'.repeat(before) + chinese.repeat(after);
      const bytes = iconv.encode(text, 'gb18030');
      const decoded = await decodeText(bytes);
      expect(decoded?.encoding).toBe('GB18030');
      expect(decoded?.text === text).toBe(true);
      expect((await encodeText(text, 'GB18030')).equals(bytes)).toBe(true);
    }
  });

  test('is not written if it lacks a character of the text', async () => {
    await expect(encodeText('größe 🦋 ő\n', 'ISO-8859-1')).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('ISO-8859-1, has no “🦋”, “ő”'),
    });
    expect(await encodeText('größe\n', 'ISO-8859-1')).toEqual(Buffer.from('größe\n', 'latin1'));
    expect(await encodeText('你 🦋', 'GB18030')).toEqual(iconv.encode('你 🦋', 'gb18030'));
  });
});

describe('a file in UTF-8', () => {
  test.each(['', 'one\n', '\uFEFFé\r\n', '你好', 'a\0b\n'])(
    'is text without an encoding: %j',
    async (text) => {
      expect(await decodeText(Buffer.from(text))).toEqual({ text });
      expect(await encodeText(text, undefined)).toEqual(Buffer.from(text));
    },
  );
});

describe('a file that is not text', () => {
  const random = Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 197 + (at >> 3) * 31) % 256));
  test.each([
    ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 0x49, 0xff])],
    ['a program', Buffer.concat([Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0]), random])],
    ['bytes without zeros', Buffer.from(random.map((byte) => byte || 1))],
    ['numbers of two bytes', Buffer.from(new Uint16Array(500).map((_, at) => at).buffer)],
    ['a UTF-16 mark before other bytes', Buffer.concat([Buffer.from([0xff, 0xfe]), random])],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0])],
    ['an incomplete character', Buffer.concat([iconv.encode(chinese, 'gbk'), Buffer.from([0xd6])])],
  ])('stays bytes: %s', async (_what, bytes) => {
    expect(await decodeText(bytes)).toBeUndefined();
  });
});
