import { readFileSync } from 'node:fs'

/** The one configuration: as operators use it, and what the command makes its own from. */
export const haproxyFile = new URL('../../resources/cluster/haproxy.cfg', import.meta.url)

/** Ports of a node in that file, by what is there. */
const written = { api: 8710, media: 8711, rtmp: 1935, metrics: 8712 } as const
/** Where a node listens on this computer. */
export type NodePorts = Readonly<Record<keyof typeof written, number>>

/** The configuration for nodes on this computer, listening there on the ports given; `asRoot` when root starts it. */
export function haproxyConfig(
  nodes: ReadonlyMap<string, NodePorts>,
  at: { readonly web: number; readonly rtmp: number },
  asRoot: boolean,
): string {
  const here = '127.0.0.1'
  const onNode = (line: string, name: string, ports: NodePorts): string =>
    line
      .replaceAll('node-1', name)
      .replace(/10\.0\.0\.11:(\d+)/, (_, port) => {
        const [kind] = Object.entries(written).find(([, number]) => number === Number(port))!
        return `${here}:${ports[kind as keyof NodePorts]}`
      })
      .concat(line.includes(' track ') ? '' : ` port ${ports.metrics}`)
  return readFileSync(haproxyFile, 'utf8')
    .replace(/frontend plain\n(?: .*\n)+\n/, '')
    .split('\n')
    .flatMap((line) => {
      if (/^ {2}server node-1 /.test(line)) return [...nodes].map(([name, ports]) => onNode(line, name, ports))
      if (/^ {2}server /.test(line) || (!asRoot && /^ {2}(?:user|group) /.test(line))) return []
      return line
        .replace(/bind :443 .*/, `bind ${here}:${at.web}`)
        .replace(/bind :1935$/, `bind ${here}:${at.rtmp}`)
        .replace('live.example.com', here)
    })
    .join('\n')
}
