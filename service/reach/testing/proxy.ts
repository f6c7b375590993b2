import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../hub/testing/fixture.ts'

/** Runs a proxy with a configuration of one site; gives its end. */
export function startProxy(server: 'nginx' | 'caddy', text: string): () => Promise<void> {
  const { path, remove } = temporaryFolder()
  const http = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${path}/${name};`)
  const file = join(path, `${server}.conf`)
  const main = ['daemon off;', `pid ${path}/pid;`, 'events {}', 'http {', 'access_log off;', ...http, text, '}']
  writeFileSync(file, server === 'nginx' ? main.join('\n') : `{\n admin off\n}\n${text}`)
  const proxy =
    server === 'nginx'
      ? spawn('/usr/sbin/nginx', ['-e', 'stderr', '-p', path, '-c', file], { stdio: 'ignore' })
      : spawn('/usr/bin/caddy', ['run', '--adapter', 'caddyfile', '--config', file], {
          stdio: 'ignore',
          env: { ...process.env, HOME: path },
        })
  return async () => {
    proxy.kill('SIGKILL')
    await once(proxy, 'exit')
    remove()
  }
}
