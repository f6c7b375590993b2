import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generate } from 'selfsigned'

/** Makes a self-signed certificate for a day, or one that has ended. */
export async function selfSigned(
  names: readonly string[],
  { ended = false } = {},
): Promise<{ readonly cert: string; readonly key: string }> {
  const day = 24 * 3_600_000
  const now = Date.now()
  const made = await generate([{ name: 'commonName', value: names[0] ?? 'test' }], {
    keyType: 'ec',
    curve: 'P-256',
    notBeforeDate: new Date(now - (ended ? 2 : 1) * day),
    notAfterDate: new Date(now + (ended ? -1 : 1) * day),
    extensions: [
      {
        name: 'subjectAltName',
        altNames: names.map((name) => (/^[\d.]+$/.test(name) ? { type: 7, ip: name } : { type: 2, value: name })),
      },
    ],
  })
  return { cert: made.cert, key: made.private }
}

/** Files of a certificate in a folder of their own. */
export function certificateFiles() {
  const folder = mkdtempSync(join(tmpdir(), 'sidestage-certificate-'))
  const certificateFile = join(folder, 'chain.pem')
  const keyFile = join(folder, 'key.pem')
  return {
    certificateFile,
    keyFile,
    write({ cert, key }: { readonly cert: string; readonly key: string }) {
      writeFileSync(keyFile, key, { mode: 0o600 })
      writeFileSync(certificateFile, cert)
    },
    removeFiles() {
      for (const file of [certificateFile, keyFile]) rmSync(file)
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
