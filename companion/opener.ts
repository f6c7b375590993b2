import { spawn } from 'node:child_process'

/** The command that opens an address in the system's browser; the address is always one argument, never part of a command line. */
export function openCommand(url: string, platform: NodeJS.Platform): { command: string; args: string[] } {
  if (platform === 'win32') return { command: 'rundll32.exe', args: ['url.dll,FileProtocolHandler', url] }
  return { command: platform === 'darwin' ? 'open' : 'xdg-open', args: [url] }
}

/** Opens an http or https address in the system's browser. Rejects when there is nothing to open it with. */
export const openInBrowser = (url: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const { command, args } = openCommand(url, process.platform)
    const child = spawn(command, args, { stdio: 'ignore', detached: true })
    child.once('error', reject)
    child.once('spawn', () => {
      child.unref()
      resolve()
    })
  })
