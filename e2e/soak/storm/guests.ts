import { count, loopback, makeGuest, rounds, type Attack } from './attack.ts'

const [addresses, perRound] = [1000, 20] as const

/** 1,000 addresses that each have as many guests made as they may, none of which logs in. */
export const guestFlood: Attack = {
  name: 'guests from 1,000 addresses',
  async run(target, over, tried) {
    await rounds(over, 50, async (number) => {
      const made = Array.from({ length: perRound }, (_, index) =>
        makeGuest(target, loopback(37, (number * perRound + index) % addresses)),
      )
      for (const guest of await Promise.all(made)) count(tried, typeof guest === 'object' ? 'made' : `HTTP ${guest}`)
    })
  },
}
