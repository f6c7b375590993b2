/**
 * Why files of a certificate cannot be used. `absent`: there is no file; `denied`: it may not be read. `unreadable` is of
 * the certificate, `unreadableKey` and `otherKey` of the key.
 */
export const certificateFaults = ['absent', 'denied', 'unreadable', 'unreadableKey', 'otherKey', 'expired'] as const

/** Files that cannot be used. */
export interface UnusableCertificate {
  readonly reason: (typeof certificateFaults)[number]
  readonly file: string
}

/** Why files cannot be used, in words. */
export function unusableWords({ reason, file }: UnusableCertificate): string {
  switch (reason) {
    case 'absent':
      return `there is no file ${file}`
    case 'denied':
      return `${file} may not be read`
    case 'unreadable':
      return `${file} is no certificate in PEM`
    case 'unreadableKey':
      return `${file} is no private key in PEM`
    case 'otherKey':
      return `${file} is not the key of the certificate`
    case 'expired':
      return `the certificate in ${file} has expired`
  }
}

/** Stands for the file in words, and is in no path. */
const anyFile = '\0'

/** What a refusal (`path: code parameter: words`) says of a file; undefined for another refusal. */
export function readUnusable(
  detail: string,
): (UnusableCertificate & { readonly parameter: 'certificateFile' | 'keyFile' }) | undefined {
  const [, parameter, words = ''] = /^\S+: \d+ (certificateFile|keyFile): (.*)$/s.exec(detail) ?? []
  if (parameter !== 'certificateFile' && parameter !== 'keyFile') return undefined
  for (const reason of certificateFaults) {
    const [before = '', after = ''] = unusableWords({ reason, file: anyFile }).split(anyFile)
    if (words.length > before.length + after.length && words.startsWith(before) && words.endsWith(after))
      return { parameter, reason, file: words.slice(before.length, words.length - after.length) }
  }
  return undefined
}
