import type { Socket } from 'node:net'
import { messages } from '../contract/operations/index.ts'
import { signedForm } from '../e2e/signed-call.ts'
import type { BenchCluster } from './cluster-nodes.ts'
import { clientFrame, openLoadSocket } from './web-socket.ts'

const clientTypes = ['PC', 'WEB', 'AOS', 'IOS', 'WINPHONE']

/** Connects the account `watch` to every node, of which there are five at most, to see how far each is. */
export async function watchMessages({ nodes, credentials }: BenchCluster) {
  const heard = new Map<string, () => void>()
  const sockets: Socket[] = []
  const open = (url: string, index: number): Promise<void> =>
    new Promise((resolve, reject) => {
      let answers = 0
      let socket: Socket
      const ask = (frame: object): void => void socket.write(clientFrame(JSON.stringify(frame)))
      openLoadSocket(url, {
        opened(own) {
          sockets.push((socket = own))
          const { appKey } = credentials
          const account = { accid: 'watch', token: 'bench', device: `watch-${index}` }
          ask({ t: 'login', id: 1, appKey, ...account, clientType: clientTypes[index] })
        },
        text(frame) {
          const text = frame.toString()
          if (text.startsWith('{"t":"error"')) reject(new Error(text))
          else if (text.startsWith('{"t":"ok"'))
            if (++answers === 1) ask({ t: 'sync', id: 2, after: Number.MAX_SAFE_INTEGER })
            else resolve()
          else heard.get(`${index} ${/mark (\S+?)\\/.exec(text)?.[1]}`)?.()
        },
        failed: reject,
      })
    })
  for (const [index, { ready }] of nodes.entries()) await open(ready.linkUrl, index)
  let number = 0
  return {
    /** Sends it a message, and resolves with the ms until every node has handed it on. */
    async handedOn(): Promise<number> {
      const mark = `${++number}-${process.pid}`
      const begun = performance.now()
      const all = nodes.map((_, index) => new Promise<void>((resolve) => heard.set(`${index} ${mark}`, resolve)))
      const body = JSON.stringify({ msg: `mark ${mark}"` })
      const fields = { from: 's0', ope: '0', to: 'watch', type: '0', body }
      const { code } = await signedForm(nodes[0]!.ready.imBaseUrl, credentials, messages.send.path, fields)
      if (code !== 200) throw new Error(`a message was refused: ${code}`)
      await Promise.all(all)
      return performance.now() - begun
    },
    close(): void {
      for (const socket of sockets) socket.removeAllListeners('close').destroy()
    },
  }
}
