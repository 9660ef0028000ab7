/** The longest logo that management takes, in characters. */
export const MAX_LOGO = 6000;

/** Widths and heights in pixels that are tried for pictures that are too large. */
const SIZES = [128, 96, 64];

/** The picture of a file as a `data:` URL that fits, made smaller where it must be; undefined when it cannot be. */
export async function smallPicture(file: File): Promise<string | undefined> {
  const whole = await dataUrlOf(file);
  if (whole.length <= MAX_LOGO) return whole;
  const picture = await pictureOf(whole);
  for (const size of SIZES) {
    const url = drawn(picture, size);
    if (url && url.length <= MAX_LOGO) return url;
  }
  return undefined;
}

function dataUrlOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

async function pictureOf(url: string): Promise<HTMLImageElement> {
  const picture = new Image();
  picture.src = url;
  await picture.decode();
  return picture;
}

function drawn(picture: HTMLImageElement, size: number): string | undefined {
  const scale = size / Math.max(picture.naturalWidth, picture.naturalHeight);
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(picture.naturalWidth * scale));
  canvas.height = Math.max(1, Math.round(picture.naturalHeight * scale));
  canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  // Browsers that cannot write WebP answer with PNG.
  return canvas.toDataURL('image/webp', 0.85);
}
