import { beforeEach, describe, expect, it } from 'vitest'
import { createRoomDeliveries, type RoomDeliveries } from './room-deliveries.ts'

const readers = 500
let now: number
/** ms charged to all strangers. */
let spent: number
let deliveries: RoomDeliveries
let seed: number
/** Number of speaking addresses. */
let addresses: number
/** A random one. */
const anyAddress = (): string =>
  `203.0.113.${((seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0) % 49_999) % addresses}`
beforeEach(() => {
  now = 0
  spent = 0
  seed = 1
  addresses = 50
  deliveries = createRoomDeliveries({ monotonic: () => now }, { spend: (ms) => void (spent += ms) })
})
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/**
 * Lines of all addresses at full speed; returns the total cost for readers and the lines accepted. `cost`: ms per
 * reader.
 */
async function speak(seconds: number, cost: number): Promise<{ readonly took: number; readonly lines: number }> {
  let [took, lines] = [0, 0]
  for (const end = now + seconds * 1000; now < end; now += 5) {
    let taken = 0
    for (let each = 0; each < 20; each++) if (deliveries.take(anyAddress(), readers) === 0) taken += 1
    for (let each = 0; each < taken; each++)
      deliveries.deliver(readers, () => {
        now += readers * cost
        took += readers * cost
      })
    lines += taken
    await turn()
  }
  return { took, lines }
}

describe("the time of guests' lines", () => {
  it.each([0.004, 0.02, 0.08])('is bounded, whatever a reader costs: %s ms', async (cost) => {
    const { took } = await speak(60, cost)
    expect(took).toBeLessThan(now * 0.3 + 75 + 20 * readers * cost)
    expect(took).toBeGreaterThan(now * 0.15)
    expect(spent).toBeGreaterThan(took * 0.9)
  })

  it('is that of fewer lines where more are told', async () => {
    const { lines } = await speak(20, 0.01)
    const cheaper = await speak(20, 0.002)
    expect(cheaper.lines).toBeGreaterThan(lines * 2)
  })

  it.each([50, 500])(
    'leaves some to an address that says little, while %s ask for more than there is',
    async (count) => {
      addresses = count
      await speak(20, 0.02)
      let heard = 0
      for (let round = 0; round < 10; round++) {
        await speak(6, 0.02)
        // The refused one retries for a second, like the others.
        for (let tried = 0; tried < 10; tried++) {
          if (deliveries.take('198.51.100.1', readers) === 0) {
            heard += 1
            break
          }
          await speak(0.1, 0.02)
        }
      }
      expect(heard).toBeGreaterThanOrEqual(9)
    },
  )
})

it('names the seconds to wait, and takes nothing of who is refused', () => {
  while (deliveries.take('203.0.113.1', readers) === 0);
  const before = spent
  const seconds = deliveries.take('203.0.113.1', readers)
  expect(seconds).toBeGreaterThan(0)
  expect(spent).toBe(before)
  now += seconds * 1000
  expect(deliveries.take('203.0.113.1', readers)).toBe(0)
})

describe('what a line costs', () => {
  it('is 0.05 ms for each reader and 5 more, before any delivery was measured', () => {
    expect(deliveries.take('203.0.113.1', 95)).toBe(0)
    expect(spent).toBe(5)
  })

  it('is what was measured of deliveries since, within 0.001 and 0.1 ms for each reader', async () => {
    const measure = async (ms: number): Promise<number> => {
      for (let round = 0; round < 40; round++) {
        deliveries.deliver(9_995, () => (now += ms))
        await turn()
      }
      now += 1_000_000
      const before = spent
      expect(deliveries.take(`203.0.113.${now}`, 95)).toBe(0)
      return spent - before
    }
    expect(await measure(200)).toBeCloseTo(2, 1)
    expect(await measure(0)).toBeCloseTo(0.1, 5)
    expect(await measure(100_000)).toBeCloseTo(10, 5)
  })
})

describe('while all lines have taken more than there is', () => {
  it('two of an address that says little are delivered, the third waits, a quarter of a line longer', () => {
    deliveries.take('loud', 1_000_000)
    expect([deliveries.take('calm', 0), deliveries.take('calm', 0), deliveries.take('calm', 0)]).toEqual([0, 0, 7])
    // One comes back in 5 s; the refused one counts as a quarter of a line.
    now += 1_251
    expect(deliveries.take('calm', 0)).toBe(0)
    expect(deliveries.take('calm', 0)).toBeGreaterThan(0)
  })

  it('an address that insists is quiet again after 25 s at the latest, and not before', () => {
    deliveries.take('loud', 1_000_000)
    for (let tried = 0; tried < 100; tried++) deliveries.take('pushy', 0)
    now += 24_900
    expect(deliveries.take('pushy', 0)).toBeGreaterThan(0)
    now += 1_360
    expect(deliveries.take('pushy', 0)).toBe(0)
  })

  it('there are 200 ms a second for all and 50 at once, and for the quiet 100 a second and 25 at once', () => {
    // 60 of 50, and 30 of 25: both have so much again after 50 ms.
    expect([deliveries.take('a', 1_195), deliveries.take('b', 595), deliveries.take('c', 0)]).toEqual([0, 0, 1])
    now += 50
    expect(deliveries.take('d', 0)).toBe(1)
    now += 1
    expect(deliveries.take('e', 0)).toBe(0)
    now += 1_000
    deliveries.take('loud', 1_000_000)
    expect([deliveries.take('f', 595), deliveries.take('g', 0)]).toEqual([0, 1])
    now += 50
    expect(deliveries.take('h', 0)).toBe(1)
    now += 1
    expect(deliveries.take('i', 0)).toBe(0)
  })
})
