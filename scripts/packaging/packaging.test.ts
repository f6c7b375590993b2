import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Configuration } from 'electron-builder'
import { getCurrentFuseWire, FuseState, FuseV1Options } from '@electron/fuses'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { isSigned, packaging } from './configuration.ts'
import { binaryOf, flipAndReadFuses, fuses, takesInspector, wrongFuses } from './fuses.ts'
import { binaryWithFuses } from './testing/binary-with-fuses.ts'

const { validateConfiguration } = createRequire(import.meta.url)('app-builder-lib/out/util/config/config') as {
  validateConfiguration: (
    configuration: Configuration,
    log: { readonly isEnabled: boolean; add(): void },
  ) => Promise<void>
}
const silent = { isEnabled: false, add: () => undefined }
const platforms = ['win32', 'darwin', 'linux'] as const
const signed = {
  WIN_CSC_LINK: 'c2VjcmV0',
  WIN_CSC_KEY_PASSWORD: 'canary-9d1f-password',
  WIN_PUBLISHER: 'CN=Sidestage Test',
  CSC_LINK: 'c2VjcmV0',
  CSC_KEY_PASSWORD: 'canary-9d1f-password',
  APPLE_API_KEY: 'canary-9d1f-key.p8',
  APPLE_API_KEY_ID: 'ID',
  APPLE_API_ISSUER: 'ISSUER',
  SIDESTAGE_UPDATE_URL: 'https://updates.example/sidestage/',
}
let dir = ''
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'sidestage-packaging-'))
})
afterEach(() => {
  rmSync(dir, { recursive: true, force: true })
})

it.each(platforms)("keeps to electron-builder's own schema on %s, signed and unsigned", async (platform) => {
  await validateConfiguration(packaging(platform, signed), silent)
  await validateConfiguration(packaging(platform, {}), silent)
  const wrong = { ...packaging(platform, {}), asarUnpacked: [] } as Configuration
  await expect(validateConfiguration(wrong, silent)).rejects.toThrow('asarUnpacked')
})

it('takes signing values from the environment alone and writes none of them down', () => {
  for (const platform of platforms) expect(JSON.stringify(packaging(platform, signed))).not.toContain('canary-9d1f')
  expect(packaging('win32', signed)).toMatchObject({
    forceCodeSigning: true,
    extraMetadata: { sidestage: { signed: true, updates: true } },
    win: { verifyUpdateCodeSignature: true, signtoolOptions: { publisherName: 'CN=Sidestage Test' } },
  })
  expect(packaging('darwin', signed)).toMatchObject({
    forceCodeSigning: true,
    mac: { notarize: true, hardenedRuntime: true },
  })
})

it('says of a build without signing values that it is unsigned, and lets it never update itself', () => {
  for (const platform of ['win32', 'darwin'] as const) {
    const unsigned = packaging(platform, { SIDESTAGE_UPDATE_URL: signed.SIDESTAGE_UPDATE_URL })
    expect(unsigned).toMatchObject({
      forceCodeSigning: false,
      extraMetadata: { sidestage: { signed: false, updates: false } },
    })
    expect(unsigned.artifactName).toContain('-unsigned.')
  }
  expect(packaging('darwin', {}).mac).toMatchObject({ identity: null, notarize: false })
})

it('refuses a part of the signing values, and a feed without TLS', () => {
  expect(() => isSigned('win32', { WIN_CSC_LINK: 'x' })).toThrow('WIN_CSC_KEY_PASSWORD, WIN_PUBLISHER')
  expect(() => isSigned('darwin', { CSC_LINK: 'x', CSC_KEY_PASSWORD: 'y' })).toThrow('APPLE_API_KEY')
  expect(() => packaging('linux', { SIDESTAGE_UPDATE_URL: 'http://updates.example/' })).toThrow('https')
})

it('unpacks native parts, rebuilds nothing, and leaves out the Node binaries that only a start from source needs', () => {
  for (const platform of platforms) {
    const { files, asarUnpack, asar, npmRebuild, disableAsarIntegrity } = packaging(platform, {})
    expect({ asar, npmRebuild, asarUnpack, disableAsarIntegrity }).toEqual({
      asar: true,
      npmRebuild: false,
      asarUnpack: ['node_modules/keytar/prebuilds/**'],
      disableAsarIntegrity: undefined,
    })
    expect(files).toContain('!**/node_modules/node-{linux,win}-*/**')
  }
})

it('states every fuse that the binary of the pinned Electron may have', () => {
  const known = Object.values(FuseV1Options).filter((one) => typeof one === 'number')
  expect(Object.keys(fuses).map(Number)).toEqual(known)
})

it.each([
  ['linux', 'sidestage'],
  ['win32', 'Sidestage.exe'],
])('sets the fuses of a binary on %s and reads them back', async (electronPlatformName, file) => {
  const binary = path.join(dir, file)
  binaryWithFuses(binary, '101100011')
  expect(await wrongFuses(binary)).toEqual([
    'RunAsNode',
    'EnableCookieEncryption',
    'EnableNodeOptionsEnvironmentVariable',
    'EnableNodeCliInspectArguments',
    'EnableEmbeddedAsarIntegrityValidation',
    'OnlyLoadAppFromAsar',
    'GrantFileProtocolExtraPrivileges',
  ])
  const packager = { appInfo: { productFilename: 'Sidestage' }, executableName: 'sidestage' }
  await flipAndReadFuses({ appOutDir: dir, electronPlatformName, packager } as unknown as Parameters<
    typeof flipAndReadFuses
  >[0])
  expect(await wrongFuses(binary)).toEqual([])
  const wire = await getCurrentFuseWire(binary)
  expect([wire[FuseV1Options.RunAsNode], wire[FuseV1Options.OnlyLoadAppFromAsar]]).toEqual([
    FuseState.DISABLE,
    FuseState.ENABLE,
  ])
})

it('tells a binary whose main process can be looked into from one that is fused, or is none of these', async () => {
  const binary = path.join(dir, 'sidestage')
  binaryWithFuses(binary, '101100011')
  expect(await takesInspector(binary)).toBe(true)
  const packager = { appInfo: { productFilename: 'Sidestage' }, executableName: 'sidestage' }
  await flipAndReadFuses({ appOutDir: dir, electronPlatformName: 'linux', packager } as unknown as Parameters<
    typeof flipAndReadFuses
  >[0])
  expect(await takesInspector(binary)).toBe(false)
  writeFileSync(binary, 'another program')
  expect([await takesInspector(binary), await takesInspector(path.join(dir, 'absent'))]).toEqual([false, false])
})

it('fails a build whose binary has a fuse that was not decided, or one too few', async () => {
  const packager = { appInfo: { productFilename: 'Sidestage' }, executableName: 'sidestage' }
  const context = { appOutDir: dir, electronPlatformName: 'linux', packager } as unknown as Parameters<
    typeof flipAndReadFuses
  >[0]
  for (const states of ['0000000000', '00000000']) {
    binaryWithFuses(path.join(dir, 'sidestage'), states)
    await expect(flipAndReadFuses(context)).rejects.toThrow()
  }
  expect(binaryOf({ appOutDir: dir, electronPlatformName: 'darwin', name: 'Sidestage', executable: '' })).toBe(
    path.join(dir, 'Sidestage.app'),
  )
})

it('has an entitlement for compiling at run time and no other', () => {
  const text = readFileSync(path.join(import.meta.dirname, '..', '..', 'resources', 'entitlements.mac.plist'), 'utf8')
  expect([...text.matchAll(/<key>([^<]+)<\/key>/g)].map(([, key]) => key)).toEqual(['com.apple.security.cs.allow-jit'])
})
