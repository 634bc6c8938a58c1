// The Kubernetes manifest: what the API knows, and what the server reads, listens on and answers.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Deployment } from 'kubernetes-types/apps/v1.d.ts'
import type { Container, ContainerPort, Volume } from 'kubernetes-types/core/v1.d.ts'
import t, { type Test } from 'tap'
import { parse, parseAllDocuments } from 'yaml'
import { readEnvironment } from '../../src/environment.ts'
import { destinations } from '../../src/integrations/destination/index.ts'
import { paymentProviders } from '../../src/integrations/payment/index.ts'
import { PROFILE_PATH } from '../../src/merchant/merchant.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import { build } from '../build.ts'
import { ROOT, runNode } from '../node-process.ts'
import { readMerchantFiles } from '../read-merchants.ts'

const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')
const manifest = parseAllDocuments(read('config/deploy/kubernetes/cart-transfer.yaml')).map(document => document.toJS())
const byKind = (kind: string) => manifest.find(object => object.kind === kind)
const { spec } = byKind('Deployment') as Deployment
const pod = spec?.template.spec
const container = pod?.containers[0] as Required<Container>
const env = Object.fromEntries(container.env.map(({ name, value }) => [name, value]))
const mountOf = (named: string) => {
  const volume = pod?.volumes?.find(({ name }) => name === named) as Required<Volume>
  return { volume, path: container.volumeMounts.find(({ name }) => name === named)?.mountPath ?? '' }
}

const TYPES: Record<string, [type: string, from: string]> = {
  ConfigMap: ['ConfigMap', 'core/v1'],
  Deployment: ['Deployment', 'apps/v1'],
  Ingress: ['Ingress', 'networking/v1'],
  PodDisruptionBudget: ['PodDisruptionBudget', 'policy/v1'],
  Service: ['Service', 'core/v1']
}

/** @returns what the compiler says of objects of the API */
async function check(t: Test, objects: { kind: string }[]) {
  const source = objects.map((object, i) => {
    const [type, from] = TYPES[object.kind] ?? []
    return `export const object${i}: import('kubernetes-types/${from}').${type} = ${JSON.stringify(object, null, 2)}`
  })
  const file = join(t.testdir({}), 'manifest.ts')
  writeFileSync(file, source.join('\n'))
  const flags = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--module', 'preserve']
  const { code, stdout } = await runNode(['node_modules/typescript/bin/tsc', ...flags, file])
  return { code, stdout }
}

t.test('Kubernetes knows every field', async t => {
  t.strictSame(manifest.map(({ kind }) => kind).sort(), ['ConfigMap', 'Deployment', 'PodDisruptionBudget', 'Service'])
  t.strictSame(await check(t, manifest), { code: 0, stdout: '' })
  const service = byKind('Service')
  const wrong = { ...service, spec: { ...service.spec, selectors: {} } }
  t.match(await check(t, [wrong]), { code: /[12]/, stdout: /selectors"' does not exist in type 'ServiceSpec'/ })
})

t.test('what the README shows of an Ingress passes on a UCP way, and Kubernetes knows it', async t => {
  const [, snippet = ''] = /```yaml\n(.*?)```/s.exec(read('config/deploy/README.md')) ?? []
  const paths = parse(snippet)
  const ingress = { spec: { rules: [{ host: 'shop.example', http: { paths } }] } }
  t.strictSame(await check(t, [{ kind: 'Ingress', ...ingress }]), { code: 0, stdout: '' })
  const {
    metadata,
    spec: { ports }
  } = byKind('Service')
  const backend = { service: { name: metadata.name, port: { name: ports[0].name } } }
  t.strictSame(
    paths,
    [PROFILE_PATH, '/app'].map(path => ({ path, pathType: 'Prefix', backend }))
  )
})

t.test('its objects name each other', async t => {
  const { template, selector } = spec ?? {}
  const labels = template?.metadata?.labels
  t.strictSame(selector?.matchLabels, labels)
  t.strictSame(byKind('Service').spec.selector, labels)
  t.strictSame(byKind('PodDisruptionBudget').spec.selector.matchLabels, labels)
  t.equal(mountOf('shops').volume.configMap.name, byKind('ConfigMap').metadata.name)
  const ports = container.ports.map(({ name }: ContainerPort) => name)
  t.ok(ports.includes(byKind('Service').spec.ports[0].targetPort))
  t.ok(byKind('PodDisruptionBudget').spec.minAvailable < Number(spec?.replicas))
  t.strictSame(
    container.volumeMounts.map(({ name }) => name),
    pod?.volumes?.map(({ name }) => name)
  )
})

t.test('the server starts with it: merchant file, secrets, ports, folders', async t => {
  const folder = t.testdir({})
  mkdirSync(join(folder, 'secrets'))
  const secrets: Record<string, string> = {
    database_url: 'postgres://cart:s3cret@db/cart\n',
    acme_token: `${'t'.repeat(40)}\n`
  }
  for (const [name, text] of Object.entries(secrets)) writeFileSync(join(folder, 'secrets', name), text)
  const command = /kubectl create secret generic (\S+) (.*)/.exec(read('config/deploy/kubernetes/cart-transfer.yaml'))
  t.equal(command?.[1], mountOf('secrets').volume.secret.secretName)
  t.equal(
    command?.[2],
    Object.keys(secrets)
      .map(name => `--from-file=${name}`)
      .join(' ')
  )
  const variables = Object.fromEntries(
    Object.entries(env).map(([name, value = '']) => [
      name,
      value.replace(mountOf('secrets').path, join(folder, 'secrets'))
    ])
  )
  const { port, metricsPort, database, drainSeconds } = readEnvironment(variables)
  const ports = Object.fromEntries(container.ports.map(({ name = '', containerPort }) => [name, containerPort]))
  t.strictSame({ http: port, metrics: metricsPort }, ports)
  t.match(database, { kind: 'postgres', url: 'postgres://cart:s3cret@db/cart' })
  t.ok(Number(pod?.terminationGracePeriodSeconds) > drainSeconds + 15, 'a stop has the time that it takes')

  const [argument = ''] = container.args
  const [name, text] = Object.entries<string>(byKind('ConfigMap').data)[0] ?? ['', '']
  t.equal(argument, join(mountOf('shops').path, name))
  writeFileSync(join(folder, name), text)
  const [merchant] = readMerchantFiles([join(folder, name)], {
    options: transferOptions,
    destinations,
    providers: paymentProviders,
    variables
  })
  t.match(merchant?.ways[0].authentication?.secrets, [{ value: secrets.acme_token?.trim() }])

  const image = read('config/deploy/Containerfile')
  t.match(image, `WORKDIR ${mountOf('feeds').path}\nUSER node`)
  t.equal(container.image, `registry.example/cart-transfer:${JSON.parse(read('package.json')).version}`)
  t.match(image, /^ENV .*DATABASE_URL=sqlite:/m)
})

t.test('its probes ask what the server answers, and a replica that drains is noticed in time', async t => {
  const { app } = await build(t)
  const { startupProbe, livenessProbe, readinessProbe } = container
  for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe]) {
    t.equal(httpGet?.port, 'http')
    t.equal((await app.inject(String(httpGet?.path))).statusCode, 200)
  }
  const { periodSeconds = 0, failureThreshold = 0 } = readinessProbe
  t.ok(periodSeconds * failureThreshold < Number(env.DRAIN_SECONDS))
  app.isDraining = true
  t.equal((await app.inject(String(readinessProbe.httpGet?.path))).statusCode, 503)
  t.equal((await app.inject(String(livenessProbe.httpGet?.path))).statusCode, 200)
})

t.test('it may do no more than it needs', async t => {
  t.match(pod, { automountServiceAccountToken: false, enableServiceLinks: false })
  t.match(pod?.securityContext, { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
  t.match(container.securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] }
  })
})
