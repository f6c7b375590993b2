import { createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { createFairWait } from './fair-wait.ts'

const derive = promisify<string, Buffer, number, Buffer>(scrypt)
const saltBytes = 16
const hashBytes = 32
/** Checks at once: each takes 16 MiB and a thread for some tens of ms. */
const atOnce = 2
/** Checks that wait at most. */
const maxWaiting = 32

/** Hashes passphrases, which people choose, with a slow function, off the event loop. */
export type Passphrases = ReturnType<typeof createPassphrases>

/** Makes it; `key` is one of the service, for what is remembered in memory. */
export function createPassphrases(options: { readonly key: Buffer; readonly random?: (bytes: number) => Buffer }) {
  const { key, random = randomBytes } = options
  let running = 0
  const waiting = createFairWait(maxWaiting)
  /** The passphrase that last matched a hash, as a keyed hash: players ask again every few seconds. */
  const matched = new Map<string, Buffer>()
  const keyed = (passphrase: string): Buffer => createHmac('sha256', key).update(`pass ${passphrase}`).digest()
  // Keyboards of phones add a blank behind a word.
  const plain = (passphrase: string): string => passphrase.normalize('NFKC').trim()

  const inTurn = async <T>(from: string, work: () => Promise<T>): Promise<T | 'busy'> => {
    if (running < atOnce) running += 1
    else if (!(await waiting.wait(from))) return 'busy'
    try {
      return await work()
    } finally {
      if (!waiting.next()) running -= 1
    }
  }

  return {
    async hash(passphrase: string): Promise<string> {
      const salt = random(saltBytes)
      return `${salt.toString('hex')}:${(await derive(plain(passphrase), salt, hashBytes)).toString('hex')}`
    },
    /** Whether a passphrase was found right before, without a slow check. */
    isRemembered(hash: string, passphrase: string): boolean {
      const known = matched.get(hash)
      return known !== undefined && timingSafeEqual(known, keyed(plain(passphrase)))
    },
    /** Compares in constant time; `busy` when too many checks wait. Those `from` different households take turns. */
    matches(hash: string, passphrase: string, from = ''): Promise<boolean | 'busy'> {
      return inTurn(from, async () => {
        const [salt = '', expected = ''] = hash.split(':')
        const given = await derive(plain(passphrase), Buffer.from(salt, 'hex'), hashBytes)
        const isRight = timingSafeEqual(given, Buffer.from(expected, 'hex'))
        if (isRight) matched.set(hash, keyed(plain(passphrase)))
        return isRight
      })
    },
    /** Forgets a hash that is not in use any more. */
    forget: (hash: string): boolean => matched.delete(hash),
  }
}
