import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** What the tests use beyond npm: a file that proves a package is there, and the package that brings it. */
const needed: readonly (readonly [string, string])[] = [
  ['/usr/bin/ffmpeg', 'ffmpeg'],
  ['/usr/bin/chromium', 'chromium'],
  ['/usr/bin/chromium-headless-shell', 'chromium-headless-shell'],
  ['/usr/bin/gnome-keyring-daemon', 'gnome-keyring'],
  ['/usr/bin/dbus-run-session', 'dbus'],
  ['/usr/share/doc/libsecret-1-0', 'libsecret-1-0'],
  ['/usr/sbin/nginx', 'nginx'],
  ['/usr/bin/caddy', 'caddy'],
  ['/usr/sbin/haproxy', 'haproxy'],
  ['/usr/sbin/ip', 'iproute2'],
  ['/usr/bin/promtool', 'prometheus'],
  ['/usr/sbin/nft', 'nftables'],
  ['/usr/bin/nmap', 'nmap'],
  ['/usr/sbin/miniupnpd', 'miniupnpd-nftables'],
  ['/usr/lib/nginx/modules/ngx_rtmp_module.so', 'libnginx-mod-rtmp'],
  ['/usr/lib/nginx/modules/ngx_stream_module.so', 'libnginx-mod-stream'],
  ['/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc', 'fonts-noto-cjk'],
]

/** What a run on a real OBS needs beyond that. */
export const obsPackages: readonly (readonly [string, string])[] = [
  ['/usr/bin/obs', 'obs-studio'],
  ['/usr/share/doc/obs-plugins', 'obs-plugins'],
  ['/usr/bin/Xvfb', 'xvfb'],
  ['/usr/bin/xauth', 'xauth'],
  ['/usr/lib/x86_64-linux-gnu/dri/swrast_dri.so', 'libgl1-mesa-dri'],
]

/** What the step of `npm test` that is as on Windows uses; it is left out where they are not. The first is of 64 bits, for x64 only. */
export const winePackages: readonly (readonly [string, string])[] = [
  ['/usr/lib/wine/wine64', 'wine64'],
  ['/usr/share/doc/wine', 'wine'],
]

/** What the step of `npm test` on PostgreSQL uses; without it the step is left out, without the others their tests. */
export const postgresPackages: readonly (readonly [string, string])[] = [
  ['/usr/share/doc/postgresql', 'postgresql'],
  ['/usr/bin/redis-server', 'redis-server'],
  ['/usr/bin/swift-proxy-server', 'swift-proxy'],
  ['/usr/bin/swift-account-server', 'swift-account'],
  ['/usr/bin/swift-container-server', 'swift-container'],
  ['/usr/bin/swift-object-server', 'swift-object'],
  ['/usr/bin/memcached', 'memcached'],
]

/** Installs the tests' missing packages, as root in CI or a container; elsewhere names them. Whether all are there. */
export function ensureDebianPackages(wanted = needed): boolean {
  const missing = wanted.filter(([file]) => !existsSync(file)).map(([, name]) => name)
  if (missing.length === 0) return true
  const contained = process.env['CI'] === 'true' || existsSync('/.dockerenv') || existsSync('/run/.containerenv')
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !contained || !existsSync('/usr/bin/apt-get')) {
    process.stderr.write(`the tests need: sudo apt-get install ${missing.join(' ')}\n`)
    return false
  }
  process.stderr.write(`installing ${missing.join(' ')}\n`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  execFileSync('apt-get', ['update', '-q'], { stdio: ['ignore', 'ignore', 'inherit'], env })
  execFileSync('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...missing], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env,
  })
  return true
}
