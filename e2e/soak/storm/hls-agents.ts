import { Agent, get } from 'node:http'
import { count, rounds, type Attack } from './attack.ts'

const [agents, perRound] = [3000, 30] as const

/** One address that asks for the playlist under 3,000 names of a player. */
export const hlsAgents: Attack = {
  name: '3,000 user agents for HLS',
  async run({ service, cid }, over, tried) {
    const agent = new Agent({ keepAlive: true, maxSockets: 8 })
    const ask = (number: number): Promise<void> =>
      new Promise((resolve) => {
        const headers = { 'user-agent': `player ${number % agents}` }
        const asked = get(
          `${service.mediaUrl}/live/${cid}/playlist.m3u8`,
          { agent, localAddress: '127.36.0.1', headers },
          (answer) => {
            count(tried, `HTTP ${answer.statusCode}`)
            answer.resume().once('close', resolve)
          },
        )
        asked.on('error', () => {
          count(tried, 'refused')
          resolve()
        })
      })
    await rounds(over, 100, (round) =>
      Promise.all(Array.from({ length: perRound }, (_, index) => ask(round * perRound + index))),
    )
    agent.destroy()
  },
}
