import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { reasonOf } from '../companion/failure.ts'

const run = promisify(execFile)

/** What Windows says of a file's signature: status of Get-AuthenticodeSignature (0: valid) and the file checked. */
const Answer = z.object({ status: z.int(), path: z.string() })

/** The file name is passed in the environment, so that no part of it becomes a command. */
const question =
  '$s = Get-AuthenticodeSignature -LiteralPath $env:SIDESTAGE_SIGNED_FILE; @{ status = [int]$s.Status; path = $s.Path } | ConvertTo-Json -Compress'
const patience = 30_000

/** Asks Windows for the status. Rejects when PowerShell cannot run. */
async function askWindows(file: string): Promise<string> {
  const { PSModulePath: _, ...environment } = process.env
  const folder = path.join(environment['SystemRoot'] ?? 'C:\\Windows', 'System32', 'WindowsPowerShell', 'v1.0')
  const args = ['-NoProfile', '-NonInteractive', '-InputFormat', 'None', '-Command', question]
  const env = { ...environment, SIDESTAGE_SIGNED_FILE: file }
  return (await run(path.join(folder, 'powershell.exe'), args, { env, timeout: patience, windowsHide: true })).stdout
}

/** Why a file's signature is rejected; null when it is valid. A signature that cannot be checked is rejected. */
export async function signatureFault(
  file: string,
  ask: (file: string) => Promise<string> = askWindows,
): Promise<string | null> {
  try {
    const { status, path: of } = Answer.parse(JSON.parse(await ask(file)))
    if (path.win32.normalize(of).toLowerCase() !== path.win32.normalize(file).toLowerCase())
      return 'Windows looked at another file'
    return status === 0 ? null : `its signature is not valid (status ${status})`
  } catch (error) {
    return `its signature could not be checked: ${reasonOf(error).slice(0, 200)}`
  }
}
