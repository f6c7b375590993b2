import http from 'node:http'
import https from 'node:https'
import type { Clock } from '../../platform/clock.ts'
import { probePath } from './visit-routes.ts'

/** What came of a request of this service to itself. */
export type ProbeOutcome =
  /** `untrusted`: the proxy that is taken for the client. */
  | { readonly kind: 'arrived'; readonly untrusted?: string | undefined }
  /** `name`: it is unknown; `other`: nobody, or somebody else, answered. */
  | { readonly kind: 'name' | CertificateFault | 'other'; readonly detail: string }
/** Why a certificate is not accepted: it is for another name, its authority is not known, or anything else. */
export type CertificateFault = 'certificateName' | 'certificateAuthority' | 'certificate'

/** Longest time of a request, in ms. */
const patience = 5000
const numberBytes = 16
const nameCodes = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA', 'EAI_NONAME'])

/** Of codes of Node and OpenSSL; undefined for one that says nothing of a certificate. */
function certificateFault(code: string): CertificateFault | undefined {
  if (/ALTNAME_INVALID|HOSTNAME_MISMATCH/.test(code)) return 'certificateName'
  if (/SELF_SIGNED|UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)|CERT_UNTRUSTED/.test(code)) return 'certificateAuthority'
  return /CERT|UNABLE_TO_/.test(code) ? 'certificate' : undefined
}

/** Requests of the service to itself. */
export type Probes = ReturnType<typeof createProbes>

/** Makes them: whether a request arrives says that its address leads here. */
export function createProbes({ random }: { readonly clock: Clock; readonly random: (bytes: number) => Buffer }) {
  const under = new Map<string, (untrusted: string | undefined) => void>()
  return {
    /** A request arrived; false when it is none of this service. */
    arrived(number: string, untrusted: string | undefined): boolean {
      const heard = under.get(number)
      heard?.(untrusted)
      return heard !== undefined
    },
    /** Sends one to the root of a media side. `unverified`: whatever the certificate. */
    send: (root: string, { unverified = false } = {}): Promise<ProbeOutcome> =>
      new Promise((resolve) => {
        const number = random(numberBytes).toString('hex')
        let arrived: Extract<ProbeOutcome, { kind: 'arrived' }> | undefined
        const settle = (outcome: ProbeOutcome): void => {
          under.delete(number)
          request.destroy()
          resolve(arrived ?? outcome)
        }
        under.set(number, (untrusted) => {
          arrived = { kind: 'arrived', untrusted }
        })
        const options = { agent: false, timeout: patience, signal: AbortSignal.timeout(patience) } as const
        const url = `${root}${probePath}${number}`
        const request = url.startsWith('https:')
          ? https.get(url, { ...options, rejectUnauthorized: !unverified })
          : http.get(url, options)
        request.on('response', ({ statusCode = 0 }) =>
          settle({ kind: 'other', detail: `somebody else answered with ${statusCode}` }),
        )
        request.on('upgrade', () => settle({ kind: 'other', detail: 'somebody else answered with 101' }))
        request.on('close', () => settle({ kind: 'other', detail: 'the connection was closed' }))
        request.on('timeout', () => settle({ kind: 'other', detail: 'no answer' }))
        request.on('error', (error: NodeJS.ErrnoException) => {
          const code = error.code ?? ''
          const kind = nameCodes.has(code) ? 'name' : (certificateFault(code) ?? 'other')
          settle({ kind, detail: error.name === 'AbortError' ? 'no answer' : error.message.slice(0, 200) })
        })
      }),
  }
}
