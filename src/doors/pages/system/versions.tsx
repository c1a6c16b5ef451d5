import { VERSION } from '../../../version.ts';
import { Facts } from '../detail/facts.tsx';
import { May } from '../kit/may.tsx';
import { counted } from '../kit/number.tsx';
import { Section } from '../kit/section.tsx';

export function Versions({
  server,
  contract,
  migrations,
  embedded,
}: {
  server: string;
  contract: string;
  migrations: number;
  embedded: boolean;
}) {
  return (
    <Section title="Versions" id="versions">
      <Facts
        label="Versions"
        facts={[
          ['strandline', VERSION],
          ['Node', process.versions.node],
          ['PostgreSQL', `${server}, ${embedded ? 'embedded' : 'your own'}`],
          ['Schema', `${counted(migrations, 'migration')} applied`],
          [
            'SQL contract',
            <May scope="sql" otherwise={contract}>
              <a href="/explore/sql">{contract}</a>
            </May>,
          ],
        ]}
      />
    </Section>
  );
}
