import { live } from '../../../contract/operations/index.ts'
import { encodeFixture, temporaryFolder } from '../../hub/testing/fixture.ts'
import { startPublisher } from '../../testing/publisher.ts'
import { startService, type TestService } from '../../testing/start-service.ts'

/** A service behind a trusted proxy on loopback, with a channel on air. */
export interface ProxiedChannel {
  readonly service: TestService
  readonly cid: string
  /** Root of the media side. */
  readonly media: string
  close(): Promise<void>
}

/** Starts it. */
export async function startProxiedChannel(options: Parameters<typeof startService>[0] = {}): Promise<ProxiedChannel> {
  const folder = temporaryFolder()
  const service = await startService({ trustedProxies: ['127.0.0.1'], ...options })
  const { cid, pushUrl } = (await service.call(live.create, { name: 'harbour' })).ret!
  const file = await encodeFixture(folder.path, 'push', { duration: 4, gop: 30, bFrames: 0 })
  const publisher = startPublisher(pushUrl, file)
  return {
    service,
    cid,
    media: service.service.ready.mediaUrl,
    async close() {
      await publisher.stop()
      await service.close()
      folder.remove()
    },
  }
}
