import { expect, it } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { openNodes } from '../redis/testing/nodes.ts'
import { describeOnRedis } from '../testing/engines.ts'
import { createPassphraseGuesses } from './passphrase-guesses.ts'

describeOnRedis('guesses of a passphrase', () => {
  it('are ten a minute of an address over all nodes, at each while Redis is away, and over all again', async () => {
    const nodes = await openNodes()
    try {
      const both = [nodes.one, nodes.other].map((redis) => createPassphraseGuesses(systemClock, redis))
      const guess = async (count: number, address: string): Promise<number> => {
        let free = 0
        for (let n = 0; n < count; n++) if ((await both[n % 2]!('take', address)) === undefined) free += 1
        return free
      }
      expect(await guess(16, '192.0.2.1')).toBe(10)
      for (const guesses of both) expect(await guesses('exceeded', '192.0.2.1')).toMatchObject({ seconds: 60 })
      expect(await both[1]!('exceeded', '192.0.2.2')).toBeUndefined()
      await nodes.kill()
      expect(await guess(16, '192.0.2.1')).toBe(10)
      for (const guesses of both) expect(await guesses('exceeded', '192.0.2.1')).toMatchObject({ seconds: 60 })
      await nodes.start()
      expect(await guess(16, '192.0.2.1')).toBe(10)
    } finally {
      await nodes.close()
    }
  })
})
