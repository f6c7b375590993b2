import { beforeEach, describe, expect, it } from 'vitest'
import { speakingLimits } from '../../contract/link/rooms.ts'
import { createRoomAllowance, type RoomAllowance } from './room-allowance.ts'

const { account, address } = speakingLimits
let now: number
let allowance: RoomAllowance
beforeEach(() => {
  now = 0
  allowance = createRoomAllowance({ monotonic: () => now })
})
const says = (accid: string, bytes: number, subnet = '192.0.2.1'): number =>
  allowance.take({ uid: 1, accid, subnet }, { lines: 1, bytes })

describe('what an account may say', () => {
  it('is so many lines at once, then as many as come back, and a refused one takes nothing', () => {
    for (let line = 0; line < account.lines.atOnce; line++) expect([line, says('a', 1)]).toEqual([line, 0])
    for (let line = 0; line < 100; line++) expect(says('a', 1)).toBe(1)
    expect(says('b', 1)).toBe(0)
    now += 1000
    for (let line = 0; line < account.lines.perSecond; line++) expect(says('a', 1)).toBe(0)
    expect(says('a', 1)).toBe(1)
    now += 3_600_000
    for (let line = 0; line < account.lines.atOnce; line++) expect(says('a', 1)).toBe(0)
    expect(says('a', 1)).toBe(1)
  })

  it('is so many bytes, of which the last line may take more than are left', () => {
    expect(says('a', account.bytes.atOnce - 1)).toBe(0)
    expect(says('a', 50_000)).toBe(0)
    const wait = says('a', 1)
    expect(wait).toBe(Math.ceil(50_000 / account.bytes.perSecond))
    now += wait * 1000
    expect(says('a', 1)).toBe(0)
  })

  it('is told apart by application, and is what the whole account says', () => {
    for (let line = 0; line < account.lines.atOnce; line++) says('a', 1)
    expect(says('a', 1, '192.0.2.2')).toBe(1)
    expect(allowance.take({ uid: 2, accid: 'a', subnet: '192.0.2.1' }, { lines: 1, bytes: 1 })).toBe(0)
  })
})

describe('what an address may say', () => {
  const taken = (seconds: number, bytes: number, subnet: string): { lines: number; bytes: number } => {
    const sum = { lines: 0, bytes: 0 }
    for (; now < seconds * 1000; now += 10)
      for (let each = 0; each < 5; each++)
        // Each line by a new guest with a full allowance.
        if (says(`guest-${now}-${each}`, bytes, subnet) === 0) {
          sum.lines += 1
          sum.bytes += bytes
        }
    return sum
  }

  it('is bounded whatever the number of accounts there', () => {
    const { lines, bytes } = taken(60, 20_000, '192.0.2.1')
    expect(bytes).toBeLessThanOrEqual(address.bytes.atOnce + 60 * address.bytes.perSecond + 20_000)
    expect(lines).toBeGreaterThan(20)
  })

  it('is bounded in lines that are short', () => {
    const { lines } = taken(60, 1, '192.0.2.1')
    expect(lines).toBeLessThanOrEqual(address.lines.atOnce + 60 * address.lines.perSecond + 1)
    expect(says('somebody', 1, '192.0.2.2')).toBe(0)
  })

  it('is not counted for this computer, where the clients of a proxy that tells no addresses would be one', () => {
    const { lines } = taken(1, 1, '127.0.0.1')
    expect(lines).toBe(500)
  })
})
