import type { Configuration } from 'electron-builder'
import { flipAndReadFuses } from './fuses.ts'

/** What of the environment a build reads; every signing value comes from here and from nowhere else. */
interface PackagingEnvironment {
  /** Windows: a certificate as a file or Base64, its password, and whose name stands in it. */
  readonly WIN_CSC_LINK?: string
  readonly WIN_CSC_KEY_PASSWORD?: string
  readonly WIN_PUBLISHER?: string
  /** macOS: a certificate as a file or Base64, its password, and an App Store Connect key for the notarization. */
  readonly CSC_LINK?: string
  readonly CSC_KEY_PASSWORD?: string
  readonly APPLE_API_KEY?: string
  readonly APPLE_API_KEY_ID?: string
  readonly APPLE_API_ISSUER?: string
  /** Where installed apps look for newer versions: an https address of a folder. */
  readonly SIDESTAGE_UPDATE_URL?: string
}

/** The signing values of a system; a few of them without the others are a mistake, not an unsigned build. */
const signing = {
  win32: ['WIN_CSC_LINK', 'WIN_CSC_KEY_PASSWORD', 'WIN_PUBLISHER'],
  darwin: ['CSC_LINK', 'CSC_KEY_PASSWORD', 'APPLE_API_KEY', 'APPLE_API_KEY_ID', 'APPLE_API_ISSUER'],
  linux: [],
} as const

/** Whether a build for a system is signed. Throws, with the names of what is missing, when only a part of its values is there. */
export function isSigned(platform: keyof typeof signing, environment: PackagingEnvironment): boolean {
  const wanted = signing[platform]
  const missing = wanted.filter((name) => (environment[name] ?? '') === '')
  if (missing.length === wanted.length) return false
  if (missing.length > 0) throw new Error(`signing for ${platform} needs ${missing.join(', ')} too`)
  return true
}

function updateFeed(environment: PackagingEnvironment): string | null {
  const url = environment.SIDESTAGE_UPDATE_URL ?? ''
  if (url === '') return null
  if (new URL(url).protocol !== 'https:') throw new Error('SIDESTAGE_UPDATE_URL must be https')
  return url
}

/** Configuration of electron-builder. Without signing values a build is named unsigned and never updates itself. */
export function packaging(platform: keyof typeof signing, environment: PackagingEnvironment): Configuration {
  const signed = isSigned(platform, environment)
  const feed = updateFeed(environment)
  const mark = signed || platform === 'linux' ? '' : '-unsigned'
  return {
    appId: 'app.sidestage.desktop',
    productName: 'Sidestage',
    copyright: 'The makers of Sidestage, MIT licence',
    directories: { output: 'dist', buildResources: 'resources' },
    artifactName: `\${productName}-\${version}-\${os}-\${arch}${mark}.\${ext}`,
    // What was built and its licence. Of the packages only what runs: whole Node binaries are for those who start from source.
    files: [
      'out/{main,preload,renderer,watch}/**',
      'resources/icon.png',
      'resources/tray/*.png',
      'package.json',
      'LICENSE',
      '!**/node_modules/node-{linux,win}-*/**',
      '!**/*.map',
    ],
    asar: true,
    // Native parts cannot be loaded from an archive; keytar is N-API, so nothing is rebuilt for Electron.
    asarUnpack: ['node_modules/keytar/prebuilds/**'],
    npmRebuild: false,
    forceCodeSigning: signed,
    extraMetadata: { sidestage: { signed, updates: signed && feed !== null } },
    afterPack: flipAndReadFuses,
    protocols: [{ name: 'Sidestage', schemes: ['sidestage'] }],
    publish: feed === null ? null : { provider: 'generic', url: feed, channel: 'latest' },
    win: {
      target: [{ target: 'nsis', arch: ['x64'] }],
      verifyUpdateCodeSignature: true,
      ...(signed
        ? { signtoolOptions: { publisherName: environment.WIN_PUBLISHER ?? null, signingHashAlgorithms: ['sha256'] } }
        : {}),
    },
    nsis: {
      oneClick: false,
      perMachine: false,
      allowElevation: false,
      allowToChangeInstallationDirectory: true,
      deleteAppDataOnUninstall: false,
    },
    mac: {
      target: (['dmg', 'zip'] as const).map((target) => ({ target, arch: ['x64', 'arm64'] })),
      category: 'public.app-category.video',
      hardenedRuntime: true,
      gatekeeperAssess: false,
      entitlements: 'resources/entitlements.mac.plist',
      entitlementsInherit: 'resources/entitlements.mac.plist',
      notarize: signed,
      ...(signed ? {} : { identity: null }),
    },
    linux: {
      target: ['AppImage', 'deb'],
      category: 'AudioVideo',
      synopsis: "A broadcaster's companion",
      maintainer: 'Sidestage <desktop@sidestage.invalid>',
    },
    deb: {
      depends: [
        'libgtk-3-0',
        'libnotify4',
        'libnss3',
        'libxss1',
        'libxtst6',
        'xdg-utils',
        'libatspi2.0-0',
        'libuuid1',
        'libsecret-1-0',
      ],
    },
  }
}
