import { count, loopback, mutedWords, openLink, rounds, type Attack } from './attack.ts'

/** Muted people speak, and enter again with other names and extensions. */
export const mutedSpeech: Attack = {
  name: 'words, names and extensions while muted',
  async run(target, over, tried) {
    const { muted, roomid } = target
    await Promise.all(
      muted.map(async (account, index) => {
        let socket: Awaited<ReturnType<typeof openLink>>
        await rounds(over, 500, async (number) => {
          if (socket?.readyState !== 1) socket = await openLink(target, account, loopback(31, index))
          const words = `${mutedWords} ${number}`
          socket?.send(
            JSON.stringify({
              t: 'roomEnter',
              id: 10 + 2 * number,
              roomid,
              lines: 0,
              nick: words,
              ext: words,
              avatar: words,
            }),
          )
          socket?.send(
            JSON.stringify({
              t: 'roomSend',
              id: 11 + 2 * number,
              roomid,
              type: 0,
              attach: words,
              clientId: `${account.accid}-${number}`,
            }),
          )
          count(tried, 'frames', 2)
        })
        socket?.terminate()
      }),
    )
  },
}
