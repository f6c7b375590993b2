import { shortest } from './known-secrets.ts'

const lowered = (text: string): string => text.replace(/%[0-9A-F]{2}/g, (each) => each.toLowerCase())
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)
/** As JSON that keeps to ASCII. */
const inAscii = (text: string): string =>
  inJson(text).replace(/[^ -~]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** What a text looks like in Base64, wherever in the encoded bytes it begins: without the letters at its edges, which carry neighbours too. */
function inBase64(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    const core = whole.slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 4) / 3))
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

/** A secret in every usual encoding: plain, in an address or a form, in JSON, in Base64 and in hex, and the first ones twice. */
export function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8')
  // A lone surrogate has no encoding as an address.
  const address = secret.isWellFormed() ? encodeURIComponent(secret) : secret
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
