import { count, loopback, makeGuest, openLink, rounds, type Attack } from './attack.ts'

const [addresses, guestsEach] = [50, 5] as const
/** How often each of them speaks, in ms: what an account may on the long run. So many parts of them do one after the other. */
const [speakEvery, parts] = [500, 10] as const

/** Guests of 50 addresses in one room, each of whom says as much as one may, and who are its readers too: the cost is lines times readers. */
export const speakingCrowd: Attack = {
  name: 'a crowd that speaks, from 50 addresses',
  async run(target, over, tried) {
    const enter = async (from: string): Promise<{ send(text: string): void; terminate(): void } | undefined> => {
      const made = await makeGuest(target, from)
      if (typeof made !== 'object') {
        count(tried, `HTTP ${made}`)
        return undefined
      }
      const guest = await openLink(target, made, from, (frame) => {
        if (frame.startsWith('{"t":"ok","id":9,')) count(tried, 'lines taken')
        else if (frame.startsWith('{"t":"error","id":9,')) count(tried, 'lines refused')
      })
      if (!guest) {
        count(tried, 'not let in')
        return undefined
      }
      guest.send(JSON.stringify({ t: 'roomEnter', id: 2, roomid: target.roomid, lines: 0 }))
      return guest
    }
    const guests = []
    for (let address = 0; address < addresses && !over.aborted; address++)
      guests.push(...(await Promise.all(Array.from({ length: guestsEach }, () => enter(loopback(47, address))))))
    const speakers = guests.filter((guest) => guest !== undefined)
    count(tried, 'guests', speakers.length)
    await rounds(over, speakEvery / parts, (round) => {
      for (const [index, guest] of speakers.entries())
        if (index % parts === round % parts)
          guest.send(
            JSON.stringify({
              t: 'roomSend',
              id: 9,
              roomid: target.roomid,
              type: 0,
              attach: `line ${round}`,
              clientId: `${index}-${round}`,
            }),
          )
    })
    for (const guest of speakers) guest.terminate()
  },
}
