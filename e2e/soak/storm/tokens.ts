import { count, loopback, openLink, rounds, type Attack } from './attack.ts'

const [parallel, addresses] = [32, 4] as const

/** Tokens of the moderator's account, guessed 32 at once. */
export const guessing: Attack = {
  name: 'guesses of a moderator’s token',
  async run(target, over, tried) {
    await Promise.all(
      Array.from({ length: parallel }, (_, index) =>
        rounds(over, 100, async (number) => {
          const guess = { accid: target.moderator, token: `guess-${index}-${number}` }
          const socket = await openLink(target, guess, loopback(38, index % addresses), (frame) =>
            count(tried, /"code":\d+/.exec(frame)?.[0] ?? 'other'),
          )
          if (!socket) return
          count(tried, 'let in')
          socket.terminate()
        }),
      ),
    )
  },
}
