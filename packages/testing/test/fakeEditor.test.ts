import { DocumentError, silentLogger } from '@tandem/core';
import { Review } from '@tandem/reviews';
import { FakeClock, FakeEditor, FakeFiles } from '@tandem/testing';
import { describe, expect, it } from 'vitest';

function makeReview(id: string): Review {
  return new Review(
    {
      id,
      proposal: { path: '/workspace/a.txt', content: 'b\n', agent: 'claude', session: 's' },
      original: { kind: 'text', text: 'a\n' },
      isOutsideWorkspace: false,
    },
    { clock: new FakeClock(), logger: silentLogger },
  );
}

describe('the user of the fake editor', () => {
  it('cannot edit or decide a review that is not in view', async () => {
    const { user, reviews } = new FakeEditor();
    const review = makeReview('1');
    for (const act of [
      () => user.accept(review),
      () => user.reject(review),
      () => user.edit(review, 'c\n'),
      () => user.dropHunk(review, 0),
    ]) {
      expect(act).toThrow('not in view');
    }
    const view = await reviews.show(review);
    user.dropHunk(review, 0);
    user.keepHunk(review, 0);
    user.accept(review);
    expect(() => user.reject(review)).toThrow('already accepted');
    view.dispose();
    expect(user.reviewsInView()).toEqual([]);
  });

  it('can rename, leave and close files', () => {
    const clock = new FakeClock(5);
    const { user, context, documents } = new FakeEditor({ clock });
    user.focus('/workspace/old.txt', 'text');
    clock.advance(1);
    user.focus('/workspace/other.txt', '');
    user.rename('/workspace/old.txt', '/workspace/new.txt');
    user.blur();
    expect(context.snapshot().activePath).toBeUndefined();
    expect(context.snapshot().openFiles.map(({ path, lastFocusedAt }) => [path, lastFocusedAt])).toEqual([
      ['/workspace/other.txt', 6],
      ['/workspace/new.txt', 5],
    ]);
    expect(documents.text('/workspace/new.txt')).toBe('text');
    user.focus('/workspace/new.txt');
    user.close('/workspace/new.txt');
    expect(context.snapshot().activePath).toBe('/workspace/other.txt');
  });

  it('gets the error when a listener fails', () => {
    const { user, context } = new FakeEditor();
    context.onDidChange(() => {
      throw new Error('broken listener');
    });
    expect(() => user.focus('/workspace/a.txt', '')).toThrow('broken listener');
  });
});

describe('the fake editor', () => {
  it('resolves whenShown when a matching review is shown', async () => {
    const editor = new FakeEditor();
    const [first, second] = [makeReview('1'), makeReview('2')];
    const waiting = editor.whenShown(({ id }) => id === '2');
    await editor.reviews.show(first);
    await editor.reviews.show(second);
    expect(await waiting).toBe(second);
    expect(await editor.whenShown()).toBe(first);
  });

  it('delays or fails to show a review if a test requests it', async () => {
    const editor = new FakeEditor();
    const review = makeReview('1');
    editor.beforeShow = async () => {
      expect(editor.user.reviewsInView()).toEqual([]);
    };
    await editor.reviews.show(review);
    expect(editor.user.reviewsInView()).toEqual([review]);
    editor.beforeShow = () => Promise.reject(new Error('no window'));
    await expect(editor.reviews.show(makeReview('2'))).rejects.toThrow('no window');
  });

  it('cannot open a file that is not text, and cannot save a read-only file', async () => {
    const files = new FakeFiles({ '/workspace/a.txt': 'a\n' });
    files.writeBinary('/workspace/image.png', 100);
    const editor = new FakeEditor({
      files: {
        lookUp: (path) => files.lookUp(path),
        write: () => {
          throw new Error('read-only');
        },
      },
    });
    const { documents, user } = editor;
    await expect(documents.open('/workspace/image.png')).rejects.toThrow(DocumentError);
    user.focus('/workspace/a.txt');
    user.type('/workspace/a.txt', 'changed\n');
    expect(await documents.save('/workspace/a.txt')).toBe(false);
    expect(documents.state('/workspace/a.txt')?.isDirty).toBe(true);
  });
});

describe('fake files', () => {
  it('follow links in every part of a path, and detect loops', async () => {
    const files = new FakeFiles({ '/real/sub/a.txt': 'a' });
    files.link('/first', '/second');
    files.link('/second', '/real');
    files.link('/real/b.txt', '/real/sub/a.txt');
    expect(await files.realPath('/first/b.txt')).toBe('/real/sub/a.txt');
    expect(await files.readText('/first/b.txt')).toBe('a');
    expect(await files.realPath('/first/new/c.txt')).toBe('/real/new/c.txt');
    files.link('/circle', '/circle');
    await expect(files.realPath('/circle/a')).rejects.toThrow('symbolic links');
  });

  it('report what is on disk', async () => {
    const files = new FakeFiles({ '/folder/a.txt': 'a' });
    files.writeBinary('/image.png', 3);
    expect(await files.isOnDisk('/folder/a.txt')).toBe(true);
    expect(await files.isOnDisk('/image.png')).toBe(true);
    expect(await files.isOnDisk('/folder')).toBe(false);
    expect(await files.read('/none')).toEqual({ kind: 'missing' });
    await expect(files.read('/folder')).rejects.toMatchObject({ code: 'not-a-file' });
    files.remove('/folder/a.txt');
    expect(await files.isOnDisk('/folder/a.txt')).toBe(false);
  });
});
