import { createPrivateKey, X509Certificate } from 'node:crypto'
import { rootCertificates } from 'node:tls'
import type { UnusableCertificate } from '../../contract/certificate-fault.ts'
import { readNamedFile } from '../../platform/named-file.ts'
import type { ServerTls } from '../http/listener.ts'

/** Files of a certificate chain and its key, in PEM. */
export interface CertificateFiles {
  readonly certificateFile: string
  readonly keyFile: string
}

/** A certificate chain with its key, and what is known of it. */
export interface Certificate extends ServerTls {
  readonly names: readonly string[]
  readonly issuer: string
  /** In ms. */
  readonly expires: number
  /** An authority that browsers know vouches for it. */
  readonly vouched: boolean
}

/** Longest file of a chain or key, in bytes. */
const maxFile = 256 * 1024
const maxChain = 10
const maxNames = 100

let known: readonly X509Certificate[] | undefined
/** The authorities that Node knows, parsed once. */
const authorities = (): readonly X509Certificate[] =>
  (known ??= rootCertificates.map((pem) => new X509Certificate(pem)))

const isIssuedBy = (certificate: X509Certificate, issuer: X509Certificate): boolean =>
  certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)

/** Whether a chain leads to a known authority, with each certificate valid now. */
function isVouched(chain: readonly X509Certificate[], now: number, roots: readonly X509Certificate[]): boolean {
  const isValid = ({ validFrom, validTo }: X509Certificate): boolean =>
    Date.parse(validFrom) <= now && now <= Date.parse(validTo)
  for (const [index, certificate] of chain.entries()) {
    if (!isValid(certificate) || (index > 0 && !certificate.ca)) return false
    if (roots.some((root) => root.fingerprint256 !== chain[0]?.fingerprint256 && isIssuedBy(certificate, root)))
      return true
    const next = chain[index + 1]
    if (!next || !isIssuedBy(certificate, next)) return false
  }
  return false
}

/** DNS names and addresses of a certificate. */
const namesOf = ({ subjectAltName, subject }: X509Certificate): string[] => {
  const listed = (subjectAltName ?? '')
    .split(', ')
    .flatMap((one) => /^(?:DNS|IP Address):"?([^"]+?)"?$/.exec(one)?.[1] ?? [])
  const common = /^CN=(.+)$/m.exec(subject)?.[1]
  return (listed.length > 0 ? listed : common === undefined ? [] : [common]).slice(0, maxNames)
}

/** Parses a chain and its key; a name of the fault when they cannot be used. `roots` are those of Node by default. */
export function readCertificate(
  { cert, key }: ServerTls,
  now: number,
  roots: () => readonly X509Certificate[] = authorities,
): Certificate | UnusableCertificate['reason'] {
  let chain: X509Certificate[]
  try {
    const blocks = cert.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
    chain = blocks.slice(0, maxChain).map((pem) => new X509Certificate(pem))
    if (!chain[0]) return 'unreadable'
    if (!chain[0].checkPrivateKey(createPrivateKey(key))) return 'otherKey'
  } catch {
    return 'unreadable'
  }
  const [own] = chain as [X509Certificate]
  const expires = Date.parse(own.validTo)
  if (expires <= now) return 'expired'
  const issuer = /^(?:O|CN)=(.+)$/m.exec(own.issuer)?.[1] ?? ''
  return { cert, key, names: namesOf(own), issuer, expires, vouched: isVouched(chain, now, roots()) }
}

const codes: Readonly<Partial<Record<string, UnusableCertificate['reason']>>> = {
  ENOENT: 'absent',
  ENOTDIR: 'absent',
  EACCES: 'denied',
  EPERM: 'denied',
}
const isKey = (pem: string): boolean => {
  try {
    createPrivateKey(pem)
    return true
  } catch {
    return false
  }
}

/** Reads the files of a certificate and its key. */
export async function loadCertificate(
  { certificateFile, keyFile }: CertificateFiles,
  now: number,
): Promise<Certificate | UnusableCertificate> {
  const read: string[] = []
  for (const file of [certificateFile, keyFile])
    try {
      read.push((await readNamedFile(file, maxFile)).toString('utf8'))
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      const other = file === certificateFile ? 'unreadable' : 'unreadableKey'
      return { reason: codes[code] ?? other, file }
    }
  const [cert, key] = read as [string, string]
  const found = readCertificate({ cert, key }, now)
  if (typeof found !== 'string') return found
  if (found === 'otherKey') return { reason: found, file: keyFile }
  return found === 'unreadable' && !isKey(key)
    ? { reason: 'unreadableKey', file: keyFile }
    : { reason: found, file: certificateFile }
}
