import { execFileSync } from 'node:child_process'

/** One process of this computer. */
interface RunningProcess {
  readonly pid: number
  readonly parent: number
  readonly command: string
}

/** Every process with its command line, as the system lists them. */
function processTable(): RunningProcess[] {
  if (process.platform === 'win32') {
    const query =
      'Get-CimInstance Win32_Process | ForEach-Object { "$($_.ProcessId) $($_.ParentProcessId) $($_.CommandLine)" }'
    return readTable(
      execFileSync('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', query], {
        encoding: 'utf8',
        maxBuffer: 2 ** 26,
      }),
    )
  }
  return readTable(
    execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args='], { encoding: 'utf8', maxBuffer: 2 ** 26 }),
  )
}

const readTable = (text: string): RunningProcess[] =>
  [...text.matchAll(/^\s*(\d+)\s+(\d+)\s*(.*)$/gm)].map(([, pid, parent, command = '']) => ({
    pid: Number(pid),
    parent: Number(parent),
    command,
  }))

/** Processes below one, however deep, whose command line has a text in it. */
export function descendants(of: number, withText: string): number[] {
  const table = processTable()
  const below = new Set([of])
  for (let before = 0; before !== below.size;) {
    before = below.size
    for (const { pid, parent } of table) if (below.has(parent)) below.add(pid)
  }
  return table
    .filter(({ pid, command }) => pid !== of && below.has(pid) && command.includes(withText))
    .map(({ pid }) => pid)
}
