import { readdir, readFile, readlink } from 'node:fs/promises'

/** State `LISTEN` in the kernel's socket tables. */
const listening = '0A'

async function socketsOn(port: number): Promise<Set<string>> {
  const inodes = new Set<string>()
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const lines = (await readFile(table, 'latin1').catch(() => '')).split('\n').slice(1)
    for (const line of lines) {
      const columns = line.trim().split(/\s+/)
      if (columns[1]?.endsWith(wanted) && columns[3] === listening && columns[9]) inodes.add(`socket:[${columns[9]}]`)
    }
  }
  return inodes
}

/** Who listens on a local port, as `name (process N)`; undefined if unknown, and on all but Linux. */
export async function portHolder(port: number): Promise<string | undefined> {
  const inodes = await socketsOn(port)
  if (inodes.size === 0) return undefined
  for (const pid of (await readdir('/proc').catch(() => [])).filter((name) => /^[0-9]+$/.test(name))) {
    for (const descriptor of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
      const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => '')
      if (!inodes.has(target)) continue
      const name = (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim()
      return `${name || 'a program'} (process ${pid})`
    }
  }
  return undefined
}
