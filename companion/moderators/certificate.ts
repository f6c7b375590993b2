import { createPrivateKey, X509Certificate } from 'node:crypto'
import { networkInterfaces } from 'node:os'
import { createSecureContext } from 'node:tls'
import { reasonOf, type ReasonOf } from '../../contract/catalogue/reasons.ts'
import { Failure, reasonOf as messageOf } from '../failure.ts'

/** A certificate and its key, as PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

/** What is shown of a certificate: `until` in ms, names in lower case. */
export type CertificateFacts = Readonly<ReturnType<typeof readCertificate>>

/** Reachable IPv4 addresses of this computer. */
export function ownAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('169.254.'))
    .map(({ address }) => address)
}

/** A certificate that cannot be used, and why. */
export class CertificateFault extends Failure {
  readonly reason: ReasonOf<'listener'>

  constructor(reason: ReasonOf<'listener'>) {
    super('certificate', reason.params['system'] ?? reason.code, { reason })
    this.reason = reason
  }
}

/** Facts of a certificate. Throws CertificateFault if it is invalid, expired or has another key. */
export function readCertificate({ cert, key }: Certificate, now: number) {
  try {
    const read = new X509Certificate(cert)
    const until = read.validToDate.getTime()
    if (!read.checkPrivateKey(createPrivateKey(key))) throw new CertificateFault(reasonOf('listener', 'otherKey'))
    if (until <= now) throw new CertificateFault(reasonOf('listener', 'ended'))
    createSecureContext({ cert, key })
    const names = (read.subjectAltName ?? '')
      .toLowerCase()
      .split(', ')
      .flatMap((each) => /^(?:dns|ip address):([a-z0-9.:-]+)$/.exec(each)?.[1] ?? [])
    return { fingerprint: read.fingerprint256, until, names }
  } catch (error) {
    if (error instanceof CertificateFault) throw error
    throw new CertificateFault(reasonOf('listener', 'badCertificate', { system: messageOf(error) }))
  }
}

/** Makes a self-signed certificate for a year. */
export async function makeCertificate(names: readonly string[], now: number): Promise<Certificate> {
  const { generate } = await import('selfsigned')
  const isAddress = (name: string): boolean => /^[\d.]+$/.test(name) || name.includes(':')
  const all = [...new Set(['localhost', '127.0.0.1', ...ownAddresses(), ...names])]
  const made = await generate([{ name: 'commonName', value: 'Sidestage' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - 3_600_000),
    notAfterDate: new Date(now + 365 * 86_400_000),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: all.map((name) =>
          isAddress(name) ? { type: 7 as const, ip: name } : { type: 2 as const, value: name },
        ),
      },
    ],
  })
  return { cert: made.cert, key: made.private }
}
