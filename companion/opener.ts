import { spawn } from 'node:child_process'

/** The command that opens an address in the system's browser; the address is always one argument, never part of a command line. */
export function openCommand(url: string, platform: NodeJS.Platform): { command: string; args: string[] } {
  if (platform === 'win32') return { command: 'rundll32.exe', args: ['url.dll,FileProtocolHandler', url] }
  return { command: platform === 'darwin' ? 'open' : 'xdg-open', args: [url] }
}

/** An opener that runs this long has found a browser, which some of them wait for; ms. */
const openerPatience = 3_000

/** Opens an http or https address in the system's browser. Rejects when there is nothing to open it with. */
export const openInBrowser = (url: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const { command, args } = openCommand(url, process.platform)
    const child = spawn(command, args, { stdio: 'ignore', detached: true })
    child.unref()
    const timer = setTimeout(resolve, openerPatience)
    child.once('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    child.once('exit', (code) => {
      clearTimeout(timer)
      // The opener of Windows ends with codes of its own.
      if (code === 0 || process.platform === 'win32') resolve()
      else reject(new Error(`${command} found no browser (code ${String(code)})`))
    })
  })
