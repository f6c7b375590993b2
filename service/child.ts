import { inBackground } from './background.ts'
import { reasonOf, type ReasonOf } from '../contract/catalogue/reasons.ts'
import { isRecordingChoices, isTlsChoices, type FromService, type ToService } from '../contract/service-process.ts'
import { DiskFault } from '../platform/disk-fault.ts'
import { boundHeapGrowth } from './heap-growth.ts'
import { openProcessLog } from './log.ts'
import { createService } from './root.ts'
import type { Service } from './service.ts'
import { DatabaseFault } from './storage/main-database.ts'
import { createShutdown } from './shutdown.ts'

/** Process channel of Electron's utility processes. */
interface ParentPort {
  on(event: 'message', listener: (message: { readonly data: unknown }) => void): void
  on(event: 'close', listener: () => void): void
  postMessage(message: FromService): void
}

const isToService = (value: unknown): value is ToService => {
  const type = typeof value === 'object' && value !== null ? (value as { type?: unknown }).type : undefined
  return type === 'start' || type === 'stop'
}

const systemMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))
const startReason = (error: unknown): ReasonOf<'service'> => {
  if (error instanceof DatabaseFault) return reasonOf('service', 'database')
  if (!(error instanceof DiskFault)) return reasonOf('service', 'failed', { system: systemMessage(error) })
  return reasonOf('service', error.kind, { folder: error.folder, system: systemMessage(error.cause) })
}

/** Interval of heartbeats, in ms. */
const beatEvery = 1000

/** The service as a child process, controlled over the channel of Node's `fork` or of Electron's utility process. */
function main(): void {
  boundHeapGrowth()
  const { log, flush } = openProcessLog()
  const port = Reflect.get(process as object, 'parentPort') as ParentPort | undefined
  let starting: Promise<Service> | undefined
  const { end, leave } = createShutdown({ log, flush }, async () => (await starting?.catch(() => undefined))?.close())

  const say = (message: FromService): Promise<void> =>
    new Promise((resolve) => {
      if (port) {
        port.postMessage(message)
        resolve()
      } else if (process.connected) process.send!(message, undefined, undefined, () => resolve())
      else resolve()
    })
  const start = async ({ choices, credentials }: ToService & { type: 'start' }): Promise<void> => {
    try {
      if (choices.recording !== undefined && !isRecordingChoices(choices.recording))
        throw new Error('what the process channel says of recording is not in its range')
      if (!isTlsChoices(choices)) throw new Error('what the process channel says of encryption cannot be used')
      let media = (): number => 0
      // From the start, as a migration of the database may take long.
      setInterval(
        () => inBackground(say({ type: 'beat', media: media() }), log, 'telling that the service is there'),
        beatEvery,
      ).unref()
      starting = createService({ ...choices, credentials, log })
      const { own, notes, mediaPackets } = await starting
      media = mediaPackets
      await say({ type: 'ready', ready: own, notes })
    } catch (error) {
      log.error({ err: error }, systemMessage(error))
      await say({
        type: 'failed',
        reason: startReason(error),
        ...(error instanceof DatabaseFault && { database: error.trouble }),
      })
      await flush()
      process.exit(1)
    }
  }
  const stop = async (): Promise<void> => {
    await end('asked to stop')
    await say({ type: 'stopped' })
    await flush()
    process.exit(0)
  }
  const heard = (message: unknown): void => {
    if (!isToService(message)) return
    if (message.type === 'stop') inBackground(stop(), log, 'stopping as asked')
    else if (!starting) inBackground(start(message), log, 'starting as asked')
  }
  if (port) {
    port.on('message', ({ data }) => heard(data))
    port.on('close', () => leave('the process channel is gone'))
  } else process.on('message', heard)
}

main()
