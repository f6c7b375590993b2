import { shortest } from './known-secrets.ts'

const lowered = (text: string): string => text.replace(/%[0-9A-F]{2}/g, (each) => each.toLowerCase())
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)
/** As JSON that keeps to ASCII. */
const inAscii = (text: string): string =>
  inJson(text).replace(/[^ -~]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Base64 at each byte offset, without the edge letters. */
function inBase64(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    const core = whole.slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 4) / 3))
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

/** A secret in all usual encodings. */
export function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8')
  // Lone surrogates become U+FFFD, as in forms and in UTF-8.
  const address = encodeURIComponent(secret.toWellFormed())
  const form = new URLSearchParams([['', secret]]).toString().slice(1)
  const hex = bytes.toString('hex')
  const all = [
    secret,
    ...[address, form].flatMap((each) => [each, lowered(each), encodeURIComponent(each)]),
    inJson(secret),
    inJson(inJson(secret)),
    inAscii(secret),
    ...inBase64(bytes),
    hex,
    hex.toUpperCase(),
  ]
  return [...new Set(all)].filter((each) => each.length >= shortest)
}
