import type { Clock } from '../../platform/clock.ts'
import { inBackground } from '../background.ts'
import type { Log } from '../log.ts'
import type { UnusableCertificate } from '../../contract/certificate-fault.ts'
import { loadCertificate, type Certificate, type CertificateFiles } from './certificate.ts'

/** Interval of reading the files again, in ms. */
const readEvery = 2000

/** The certificate in use, which follows its files. */
export type KeptCertificate = ReturnType<typeof createKeptCertificate>

/**
 * Keeps the certificate of two files and reads them again when they change. Files that cannot be used leave the
 * earlier certificate in use. `changed` is called with each change of certificate or fault.
 */
export function createKeptCertificate(options: {
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn'>
  readonly changed: () => void
  readonly every?: number
}) {
  const { clock, log, changed, every = readEvery } = options
  let files: CertificateFiles | undefined
  let current: Certificate | undefined
  let fault: UnusableCertificate | undefined
  let cancel: (() => void) | undefined
  let isClosed = false

  /** True when it changed something. */
  const read = async (): Promise<boolean> => {
    const asked = files
    const found = asked && (await loadCertificate(asked, clock.now()))
    if (asked !== files) return false
    const before = { current, fault }
    if (found && 'reason' in found) {
      if (found.reason !== fault?.reason || found.file !== fault.file) fault = found
    } else {
      fault = undefined
      if (!found || found.cert !== current?.cert || found.key !== current.key) current = found
    }
    if (before.fault !== fault && fault !== undefined)
      log.warn(
        { ...fault, expires: current?.expires },
        'the files of the certificate cannot be used; ' +
          (current ? 'the earlier one stays in use' : 'there is no earlier one'),
      )
    if (before.current !== current && current)
      log.info({ names: current.names, expires: current.expires, vouched: current.vouched }, 'a certificate was read')
    else if (before.fault !== undefined && fault === undefined && current)
      log.info({ names: current.names, expires: current.expires }, 'the files of the certificate can be used again')
    return before.current !== current || before.fault !== fault
  }
  const readLater = (): void => {
    cancel?.()
    if (isClosed || !files) return
    cancel = clock.after(every, () =>
      inBackground(
        read().then((isNew) => {
          if (isNew) changed()
          readLater()
        }),
        log,
        'reading the certificate',
      ),
    )
  }
  return {
    get current() {
      return current
    },
    get fault() {
      return fault
    },
    /** What is told of the one in use, and of files that cannot be used. */
    facts: () => ({
      ...(current && {
        certificate: {
          names: [...current.names],
          issuer: current.issuer,
          expires: current.expires,
          vouched: current.vouched,
        },
      }),
      ...(fault && { certificateFault: { ...fault } }),
    }),
    /** Reads other files at once, or none. */
    async use(next: CertificateFiles | undefined) {
      if (next?.certificateFile !== files?.certificateFile || next?.keyFile !== files?.keyFile) {
        files = next
        current = undefined
        fault = undefined
      }
      await read()
      readLater()
    },
    close() {
      isClosed = true
      cancel?.()
    },
  }
}
