import type { Clock } from '../../platform/clock.ts'
import { inBackground } from '../background.ts'
import type { Log } from '../log.ts'
import type { LinkStream } from './ports.ts'

/** Interval of storing acks, in ms. */
const storeEvery = 10_000

/** Makes it over the stream. Bounded by the devices active within the interval. */
export function createAcks(stream: Pick<LinkStream, 'received'>, clock: Pick<Clock, 'after'>, log: Pick<Log, 'warn'>) {
  const accounts = new Map<
    string,
    { readonly uid: number; readonly accid: string; readonly devices: Map<string, number> }
  >()
  const keyOf = (uid: number, accid: string): string => `${uid} ${accid}`

  const note = (uid: number, accid: string, device: string, upTo: number): void => {
    const key = keyOf(uid, accid)
    let account = accounts.get(key)
    if (!account) accounts.set(key, (account = { uid, accid, devices: new Map() }))
    account.devices.set(device, Math.max(account.devices.get(device) ?? 0, upTo))
    stop ??= clock.after(storeEvery, again)
  }
  const store = async (key: string): Promise<void> => {
    const account = accounts.get(key)
    if (!account) return
    accounts.delete(key)
    const { uid, accid, devices } = account
    for (const [device, upTo] of devices) {
      try {
        await stream.received(uid, accid, device, upTo)
      } catch (error) {
        log.warn({ err: error, uid }, 'acknowledgements could not be stored and are tried again')
        note(uid, accid, device, upTo)
      }
    }
  }
  const storeAll = async (): Promise<void> => {
    // Later ones wait for the next time.
    const keys = [...accounts.keys()]
    for (const key of keys) await store(key)
  }
  const again = (): void => {
    stop = undefined
    inBackground(storeAll(), log, 'storing what devices have received')
  }
  /** Takes back the next time; nothing is due while nothing was noted. */
  let stop: (() => void) | undefined

  return {
    note,
    /** Resolves when the acks of an account are stored. */
    settle: (uid: number, accid: string): Promise<void> => store(keyOf(uid, accid)),
    /** Stores everything and stops. */
    async close(): Promise<void> {
      stop?.()
      // What cannot be stored now is not tried again.
      stop = () => undefined
      await storeAll()
    },
  }
}

/** Acknowledged positions, written once per device in 10 s. After a crash devices repeat the last ones. */
export type Acks = ReturnType<typeof createAcks>
