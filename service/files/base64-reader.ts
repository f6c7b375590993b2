import { UploadFault } from './incoming-file.ts'

/** Decodes Base64 in parts. A space means `+`, as forms convert it; `-` and `_` are accepted. */
export type Base64Reader = ReturnType<typeof createBase64Reader>

const escape = /%([0-9a-fA-F]{2})/g
const alphabet = /^[A-Za-z0-9+/]*$/
const fault = (): UploadFault => new UploadFault('content is not Base64')

/** Makes a reader for one value. */
export function createBase64Reader() {
  /** Start of an escape, and digits of an incomplete group. */
  let [cut, digits] = ['', '']
  let [padding, any] = [0, false]

  const take = (text: string): Buffer => {
    let plain = text
    if (text.includes('%'))
      plain = text.replace(escape, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    plain = plain.replace(/[\r\n]/g, '')
    if (/[ \-_]/.test(plain)) plain = plain.replace(/[ -]/g, '+').replaceAll('_', '/')
    const end = plain.indexOf('=')
    if (end >= 0 || padding > 0) {
      const tail = padding > 0 ? plain : plain.slice(end)
      if (/[^=]/.test(tail)) throw fault()
      padding += tail.length
      plain = padding > tail.length ? '' : plain.slice(0, end)
    }
    if (!alphabet.test(plain) || padding > 2) throw fault()
    digits += plain
    any ||= digits.length > 0
    const whole = digits.slice(0, digits.length - (digits.length % 4))
    digits = digits.slice(whole.length)
    return Buffer.from(whole, 'base64')
  }

  return {
    /** Throws UploadFault for invalid Base64. */
    read(part: Buffer): Buffer {
      const text = cut + part.toString('latin1')
      const tail = /%[0-9a-fA-F]?$/.exec(text)?.[0] ?? ''
      cut = tail
      return take(tail === '' ? text : text.slice(0, -tail.length))
    },
    /** Last bytes; throws UploadFault if truncated or empty. */
    end(): Buffer {
      if (cut !== '' || digits.length === 1 || (padding > 0 && (digits.length + padding) % 4 !== 0)) throw fault()
      if (!any) throw new UploadFault('content is empty')
      return Buffer.from(digits, 'base64')
    },
  }
}
