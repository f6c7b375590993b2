/** Why files of a certificate cannot be used. `absent`: there is no file; `denied`: it may not be read. */
export const certificateFaults = ['absent', 'denied', 'unreadable', 'otherKey', 'expired'] as const

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
      return `${file} is no certificate or key in PEM`
    case 'otherKey':
      return `${file} is not the key of the certificate`
    case 'expired':
      return `the certificate in ${file} has expired`
  }
}

/** What is wrong with one of these files, as far as words of `unusableWords` tell; undefined for other words. */
export function readUnusable(words: string, files: readonly string[]): UnusableCertificate | undefined {
  for (const file of files)
    for (const reason of certificateFaults)
      if (file !== '' && words.endsWith(unusableWords({ reason, file }))) return { reason, file }
  return undefined
}
