import path from 'node:path'
import { flipFuses, type FuseConfig, FuseState, FuseV1Options, FuseVersion, getCurrentFuseWire } from '@electron/fuses'
import type { AfterPackContext } from 'electron-builder'

/** Every fuse of the binary, stated: a fuse that a newer Electron adds fails the build until it is decided here. */
export const fuses: Readonly<Record<FuseV1Options, boolean>> = {
  [FuseV1Options.RunAsNode]: false,
  [FuseV1Options.EnableCookieEncryption]: true,
  [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: false,
  [FuseV1Options.EnableNodeCliInspectArguments]: false,
  [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: true,
  [FuseV1Options.OnlyLoadAppFromAsar]: true,
  [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
  [FuseV1Options.GrantFileProtocolExtraPrivileges]: false,
  // WebAssembly's trap handlers are a matter of speed alone.
  [FuseV1Options.WasmTrapHandlers]: true,
}

/** The built binary's path. */
export function binaryOf(
  context: Pick<AfterPackContext, 'appOutDir' | 'electronPlatformName'> & {
    readonly name: string
    readonly executable: string
  },
): string {
  const file =
    { darwin: `${context.name}.app`, win32: `${context.name}.exe` }[context.electronPlatformName] ?? context.executable
  return path.join(context.appOutDir, file)
}

/** Names of the fuses of a built binary that do not stand as stated; none when all do. */
export async function wrongFuses(binary: string): Promise<string[]> {
  const wire = new Map(Object.entries(await getCurrentFuseWire(binary)))
  return Object.entries(fuses)
    .filter(([fuse, wanted]) => wire.get(fuse) !== (wanted ? FuseState.ENABLE : FuseState.DISABLE))
    .map(([fuse]) => FuseV1Options[Number(fuse)] ?? fuse)
}

/** Whether a binary can be started with an inspector in its main process; false for one that is fused against it or is none of Electron's. */
export async function takesInspector(binary: string): Promise<boolean> {
  const wire = await getCurrentFuseWire(binary).catch(() => undefined)
  return wire?.[FuseV1Options.EnableNodeCliInspectArguments] === FuseState.ENABLE
}

/** Sets every fuse before the signature is made, and reads the binary back. Rejects when one is not as stated. */
export async function flipAndReadFuses(context: AfterPackContext): Promise<void> {
  const { packager, electronPlatformName } = context
  const executable =
    'executableName' in packager && typeof packager.executableName === 'string' ? packager.executableName : ''
  const binary = binaryOf({ ...context, name: packager.appInfo.productFilename, executable })
  const config: FuseConfig = {
    version: FuseVersion.V1,
    strictlyRequireAllFuses: true,
    // Flipping breaks the ad-hoc signature that Electron's own macOS binary comes with.
    resetAdHocDarwinSignature: electronPlatformName === 'darwin',
    ...fuses,
  }
  await flipFuses(binary, config)
  const wrong = await wrongFuses(binary)
  if (wrong.length > 0) throw new Error(`these fuses are not as stated: ${wrong.join(', ')}`)
}
